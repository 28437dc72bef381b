/** A person as two letters. The name is beside it or in its title. */
export function Initials({ of }: { of: string }) {
  const words = of.split(/[\s@._-]+/).filter((word) => word !== "");
  const [first = "?", second] = words;
  const letters = second === undefined ? first.slice(0, 2) : `${first.charAt(0)}${second.charAt(0)}`;
  return (
    <span className="initials" title={of} aria-hidden="true">
      {letters.toUpperCase()}
    </span>
  );
}
