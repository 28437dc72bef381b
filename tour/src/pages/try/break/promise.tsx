export default function Rejected() {
  return (
    <div className="card stack">
      <p className="buttons">
        <button
          type="button"
          className="button"
          onClick={() => void Promise.reject(new Error("Nobody waits for this promise."))}
        >
          Reject a promise
        </button>
      </p>
      <noscript>
        <p>This page needs JavaScript, because it is about errors in it.</p>
      </noscript>
    </div>
  );
}
