/**
 * Words as both stores know them: letters and digits of any script, without case and accents. PostgreSQL would cut
 * texts in its own way, so it gets the words and their places.
 */
export function wordsOf(text: string): string[] {
  return text
    .normalize("NFD")
    .replace(/\p{Mn}+/gu, "")
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{Co}]+/u)
    .filter((word) => word !== "" && word.length <= longestWord);
}

// Of a longer one PostgreSQL would keep nothing either.
const longestWord = 500;
// The largest place that PostgreSQL keeps of a word, and how many places of one.
const lastPlace = 16_383;
const mostPlaces = 255;

/** A text for the index: `'cart':1,4 'ts':2`. */
export function indexOf(text: string): string {
  const positions = new Map<string, number[]>();
  for (const [n, word] of wordsOf(text).entries()) {
    const known = positions.get(word) ?? [];
    if (known.length < mostPlaces && n < lastPlace) known.push(n + 1);
    positions.set(word, known);
  }
  return [...positions].map(([word, at]) => `'${word}':${at.join(",")}`).join(" ");
}

/** A question to the index: words that follow each other, the last one by its beginning. */
export function questionOf(text: string): string | undefined {
  const words = wordsOf(text).map((word) => `'${word}'`);
  return words.length === 0 ? undefined : `${words.join(" <-> ")}:*`;
}
