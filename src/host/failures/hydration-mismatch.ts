/** A page that the browser renders otherwise than the server did, as its author wants to read it. */
export interface HydrationMismatch {
  /** One sentence. */
  message: string;
  /** React's own words without that sentence: the usual reasons, and the tree with both versions. */
  details: string;
}

/** Above its tree React explains at length, with a list whose lines begin like the tree's. */
const endOfExplanation = "react.dev/link/hydration-mismatch";

/**
 * React marks what the browser rendered with a plus, what the server had sent with a minus. Nothing for any other
 * message.
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

/** The first of the lines; a text in quotation marks, an element or an attribute as it is. */
function marked(tree: readonly string[], mark: "+" | "-"): string | undefined {
  const line = tree
    .find((one) => one.startsWith(mark))
    ?.slice(1)
    .trim();
  if (line === undefined || line === "") return undefined;
  return /^<|^[\w-]+=/.test(line) ? line : `“${line}”`;
}
