import { LineBudget } from "#bounds";
import { plainText } from "#errors";

/** Some twenty errors with their stacks in a minute: whoever can make something fail must not fill the log. */
const charactersPerMinute = 65_536;

/** One warning may quote what a stranger sent: a stack and a page of text are enough to find it. */
const longestWarning = 8_192;

/**
 * Writes a warning for the operator. An error in it may quote what a stranger sent, so nothing of it is obeyed by a
 * terminal, and what comes in a flood is left out and counted.
 */
export const warn: (sentence: string, error?: unknown) => void = createWarn(
  (text) => console.error(text),
  () => performance.now(),
);

export function createWarn(
  write: (text: string) => void,
  now: () => number,
): (sentence: string, error?: unknown) => void {
  const budget = new LineBudget(charactersPerMinute, charactersPerMinute / 60);
  return (sentence, error) => {
    if (!budget.mayWrite(now())) return;
    const leftOut = budget.takeLeftOut();
    const text = plainText(error === undefined ? sentence : `${sentence} ${stackText(error)}`);
    const shown = text.length > longestWarning ? `${text.slice(0, longestWarning)}…` : text;
    budget.wrote(shown.length);
    write(leftOut > 0 ? `${shown}\n(${leftOut} warnings before this one were left out: too many.)` : shown);
  };
}

/** Thrown values are anything at all, and may throw when they are looked at. */
export function stackText(error: unknown): string {
  try {
    return error instanceof Error ? (error.stack ?? String(error)) : String(error);
  } catch {
    return "something that cannot be read";
  }
}
