/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  // Several addresses of one name were tried: this error has no message of its own.
  if (error instanceof AggregateError && error.message === "") return error.errors.map(messageOf).join(", ");
  return error instanceof Error ? error.message : String(error);
}
