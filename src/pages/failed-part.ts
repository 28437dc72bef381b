/**
 * A part of a streamed page that failed on the server is rendered once more by the browser, and often fails there in
 * the same way. React passes one text from the server's failure to the browser's document. It holds the digest, and by
 * what the failure is known again: a hash instead of the message, because nothing of what was thrown on a server may be
 * read in a browser.
 */
export function writeFailedPart(digest: string, thrown: unknown): string {
  return `${digest}~${likenessOf(thrown)}`;
}

/**
 * The digest under which the server recorded the same failure, among what was written of the parts that failed there.
 * Another failure in the same place is a failure of its own: taking it for the server's would lose it.
 */
export function digestOfServer(thrown: unknown, parts: readonly string[] = partsInDocument()): string | undefined {
  return parts.find((part) => part.endsWith(`~${likenessOf(thrown)}`))?.split("~")[0];
}

/** Where React leaves it, until the part is rendered once more. */
function partsInDocument(): string[] {
  return Array.from(document.querySelectorAll<HTMLElement>("[data-dgst]"), ({ dataset }) => dataset.dgst ?? "");
}

/** 32 bits: two of the few failures of one document are not taken for each other. */
function likenessOf(thrown: unknown): string {
  const hash = [...textOf(thrown)].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) >>> 0, 0);
  return hash.toString(36);
}

/** A thrown value may throw when it is looked at. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return "";
  }
}
