/**
 * A part of a streamed page that failed on the server is rendered once more by the browser, and often fails there in the same way. React passes one
 * text from the server's failure to the browser's document. It holds the digest, and by what the failure is known again: a hash instead of the
 * message, because nothing of what was thrown on a server may be read in a browser.
 */
export function writeFailedPart(digest: string, thrown: unknown): string {
  return `${digest}~${likenessOf(thrown)}`;
}

/** What React has found in the document and taken out of it: a part that waits once more in the browser fails later than that. */
const found = new Set<string>();

/** Called with every failed part that React tells of, and without one when another page is shown: what fails there is no part of the document. */
export function rememberFailedPart(text?: string): void {
  if (text === undefined) found.clear();
  else found.add(text);
}

/**
 * The digest under which the server recorded the same failure of this document. Another failure in the same place is a failure of its own: taking it
 * for the server's would lose it.
 */
export function digestOfServer(thrown: unknown): string | undefined {
  const end = `~${likenessOf(thrown)}`;
  const part = document.querySelector<HTMLElement>(`template[data-dgst$="${end}"]`)?.dataset.dgst;
  return (part ?? [...found].find((text) => text.endsWith(end)))?.split("~")[0];
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
