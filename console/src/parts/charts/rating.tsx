const words = {
  good: { mark: "✓", word: "good" },
  "needs-improvement": { mark: "~", word: "fair" },
  poor: { mark: "✗", word: "poor" },
} as const;

/** Rating of a vital, never by colour alone. */
export function Rating({ of }: { of: keyof typeof words }) {
  const { mark, word } = words[of];
  return (
    <span className={`rating ${of}`} title={word}>
      <span aria-hidden="true">{mark}</span>
      <span className="unseen">{word}</span>
    </span>
  );
}
