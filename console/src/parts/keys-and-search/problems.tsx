/** What of the typed filter means nothing, above what the rest of it found. */
export function Problems({ of }: { of: readonly string[] }) {
  if (of.length === 0) return null;
  return (
    <div className="problems" role="status">
      {of.map((problem) => (
        <p key={problem}>{problem}</p>
      ))}
    </div>
  );
}
