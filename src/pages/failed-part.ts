/**
 * Encodes the failure of a streamed part for the browser, which renders that part again and often fails in the same
 * way. React carries one text from the server's failure into the document. It contains the digest and a hash that
 * identifies the failure: a hash, because no message of a server error may reach a browser.
 */
export function writeFailedPart(digest: string, thrown: unknown): string {
  return `${digest}~${fingerprintOf(thrown)}`;
}

/**
 * Finds the digest under which the server recorded the same failure. A different failure in the same part gets its own
 * report: taking it for the server's would lose it.
 */
export function digestOfServer(thrown: unknown, parts: readonly string[] = partsInDocument()): string | undefined {
  return parts.find((part) => part.endsWith(`~${fingerprintOf(thrown)}`))?.split("~")[0];
}

/** React leaves the text there until the part is rendered again. */
function partsInDocument(): string[] {
  return Array.from(document.querySelectorAll<HTMLElement>("[data-dgst]"), ({ dataset }) => dataset.dgst ?? "");
}

/** 32 bits are enough to tell the few failures of one document apart. */
function fingerprintOf(thrown: unknown): string {
  const hash = [...textOf(thrown)].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) >>> 0, 0);
  return hash.toString(36);
}

/** A thrown value may throw when it is converted. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return "";
  }
}
