/**
 * The first of the languages that a browser asks for by `Accept-Language`: as it is named, or in another region
 * (`de-AT` for `de`, `pt` for `pt-BR`). Undefined if it asks for none of them.
 */
export function acceptedLanguage(header: string | undefined, languages: readonly string[]): string | undefined {
  const wanted = (header ?? "")
    .slice(0, headerLength)
    .split(",")
    .map((one) => {
      const [tag = "", ...parameters] = one.trim().toLowerCase().split(";");
      const quality = parameters.map((text) => /^\s*q=([\d.]+)\s*$/.exec(text)?.[1]).find((text) => text !== undefined);
      return { tag: tag.trim(), quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ quality }) => quality > 0)
    // Sorting is stable: of equal ones the first wins.
    .sort((one, other) => other.quality - one.quality);
  for (const { tag } of wanted) {
    const fitting =
      languages.find((lang) => lang.toLowerCase() === tag) ?? languages.find((lang) => primary(lang) === primary(tag));
    if (fitting !== undefined) return fitting;
  }
  return undefined;
}

/** Browsers send less than a hundred characters. */
const headerLength = 500;

function primary(tag: string): string {
  return tag.toLowerCase().split("-", 1)[0] ?? "";
}
