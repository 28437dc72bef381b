/**
 * Copies a string into its own memory. A substring or concatenation in V8 retains its originals: a name of 20
 * characters cut from an event of 1 MB retains the megabyte. Text that outlives its batch is copied first.
 */
export function ownCopyOf(text: string): string {
  const encoding = Buffer.byteLength(text) === text.length ? "latin1" : "utf16le";
  return Buffer.from(text, encoding).toString(encoding);
}
