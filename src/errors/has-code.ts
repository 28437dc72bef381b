/** Whether an error has this code: of Node, as `ENOENT`, or of the framework. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
