/** A difference between the server's and the browser's render, described for the developer. */
export interface HydrationMismatch {
  /** One sentence. */
  message: string;
  /** React's own text without that sentence: common reasons, and the tree with both versions. */
  details: string;
}

/** Ends React's explanation, which contains a list whose lines start like those of the tree. */
const endOfExplanation = "react.dev/link/hydration-mismatch";

/**
 * React marks lines of the browser with a plus and those of the server with a minus. Returns undefined for other
 * messages.
 */
export function readHydrationMismatch(message: string): HydrationMismatch | undefined {
  const at = message.indexOf(endOfExplanation);
  if (at < 0) return undefined;
  const details = message.slice(message.indexOf("\n") + 1).trim();
  const tree = message.slice(at + endOfExplanation.length).split("\n");
  return { message: sentence(marked(tree, "+"), marked(tree, "-")), details };
}

function sentence(browser: string | undefined, server: string | undefined): string {
  if (browser !== undefined && server !== undefined)
    return `The server rendered ${server}, and the browser ${browser}.`;
  if (browser !== undefined) return `The browser rendered ${browser}, which the server had not.`;
  if (server !== undefined) return `The server rendered ${server}, which the browser did not.`;
  return "The browser rendered something else than the server.";
}

/** Returns the first marked line; text in quotation marks, elements and attributes unchanged. */
function marked(tree: readonly string[], mark: "+" | "-"): string | undefined {
  const line = tree
    .find((one) => one.startsWith(mark))
    ?.slice(1)
    .trim();
  if (line === undefined || line === "") return undefined;
  return /^<|^[\w-]+=/.test(line) ? line : `“${line}”`;
}
