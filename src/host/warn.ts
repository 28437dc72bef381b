import { plainText } from "#errors";

/** Writes a warning for the operator. An error in it may quote what a stranger sent, so nothing of it is obeyed by a terminal. */
export function warn(sentence: string, error?: unknown): void {
  console.error(plainText(error === undefined ? sentence : `${sentence} ${textOf(error)}`));
}

/** Thrown values are anything at all, and may throw when they are looked at. */
export function textOf(error: unknown): string {
  try {
    return error instanceof Error ? (error.stack ?? String(error)) : String(error);
  } catch {
    return "something that cannot be read";
  }
}
