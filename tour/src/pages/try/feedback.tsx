import { Feedback } from "holdfast";

export default function Ask() {
  return (
    <div className="card stack">
      <Feedback words={{ question: "What would you like to try that is not here?" }} className="ask" />
      <p>
        The operator reads it under{" "}
        <a href="/_holdfast/1/feedback" data-hard="">
          Feedback
        </a>{" "}
        in the console.
      </p>
    </div>
  );
}
