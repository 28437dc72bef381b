/**
 * A text in memory of its own. What V8 cuts out of a longer text or puts together from several holds all of them: a
 * name of 20 characters out of an event of a megabyte holds the megabyte. Text that is kept beyond the batch that it
 * came with is copied first.
 */
export function ownCopyOf(text: string): string {
  const encoding = Buffer.byteLength(text) === text.length ? "latin1" : "utf16le";
  return Buffer.from(text, encoding).toString(encoding);
}
