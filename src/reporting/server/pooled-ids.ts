/** A kilobyte of digits is 21 pairs of ids, and one call of native code. */
const words = new Uint32Array(128);
const bytes = Buffer.from(words.buffer);

let digits = "";
let at = 0;

/**
 * The next random hexadecimal digits, for ids that must be unique and not secret. `quickId` joins them from pieces,
 * which takes four times as long: a cached page needs two ids for nearly every request, and nothing else of a trace.
 */
export function pooledId(length: 16 | 32): string {
  if (at + length > digits.length) {
    for (let word = 0; word < words.length; word++) words[word] = Math.random() * 0x1_0000_0000;
    digits = bytes.toString("hex");
    at = 0;
  }
  at += length;
  return digits.slice(at - length, at);
}
