import { Link } from "holdfast";

export default function Desk() {
  return (
    <div className="card stack">
      <p className="state good">✓ The desk has its drawer.</p>
      <p>
        <Link to="/try/answer">Back to the experiment</Link>
      </p>
    </div>
  );
}
