/** Anything that was thrown, as an error. */
export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  // Several addresses of one name were tried: this error has no message of its own.
  if (error instanceof AggregateError && error.message === "") return error.errors.map(messageOf).join(", ");
  return error instanceof Error ? error.message : String(error);
}

/** Whether an error has this code: of Node, as `ENOENT`, or of the framework. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
