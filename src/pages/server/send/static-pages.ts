/** A page without dependencies, for when everything else has failed. Under 2 KiB, no script, no asset. */
export function lastResortPage(title: string, text: string, digest: string | undefined): string {
  const shown = digest ? `<p>Digest: <code>${escapeHtml(digest)}</code></p>` : "";
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><title>${escapeHtml(title)}</title></head><body><main><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>${shown}<p><a href="">Reload</a> <a href="/">Home</a></p></main></body></html>`;
}

/**
 * React sends late parts in hidden elements and moves them into place by script. Without scripts this style shows them
 * at the end of the page.
 */
export const lateStyle = 'div[hidden][id^="S:"]{display:block}';

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * Escapes JSON for a script element: nothing in it can end the element, begin a comment, or break a line of a script.
 */
export function escapeInlineJson(json: string): string {
  return json.replace(/[<\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
