import { LineBudget } from "#bounds";
import { plainText } from "#errors";

/** About twenty errors with stacks per minute, so that a client that causes errors cannot fill the log. */
const charactersPerMinute = 65_536;

/** A warning may quote a client's input: a stack and a page of text are enough to find it. */
const longestWarning = 8_192;

/**
 * Writes a warning for the operator. Errors may quote untrusted input, so control characters are escaped, and a flood
 * is dropped and counted.
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

/** Accepts every thrown value; even reading one may throw. */
export function stackText(error: unknown): string {
  try {
    return error instanceof Error ? (error.stack ?? String(error)) : String(error);
  } catch {
    return "something that cannot be read";
  }
}
