import { Digest } from "../../parts/digest.tsx";

export default function Broken({ digest, side, status, retry }: ErrorProps) {
  return (
    <div className="stack" role="alert">
      <h2>Application error</h2>
      <p>
        A {side === "server" ? "server" : "client"}-side exception has occurred.{" "}
        <span className="muted">Status {status}.</span>
      </p>
      {digest !== undefined && <Digest code={digest} />}
      <p className="buttons">
        <button type="button" className="button primary" onClick={retry}>
          Try again
        </button>
        <a className="button" href="/try">
          Everything to try
        </a>
      </p>
    </div>
  );
}
