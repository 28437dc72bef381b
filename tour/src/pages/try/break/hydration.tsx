export default function Differs() {
  const side = typeof document === "undefined" ? "the server" : "your browser";
  return (
    <div className="card stack">
      <p>
        Rendered by <strong>{side}</strong>.
      </p>
    </div>
  );
}
