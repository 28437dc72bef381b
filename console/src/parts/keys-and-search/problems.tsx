/** Meaningless parts of the filter, above the results of the rest. */
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
