/** The part of a file that a request asks for. */
export type ByteRange =
  /** The whole file: none was asked for, or the text is no range that is understood here (RFC 9110, 14.2). */
  | { kind: "whole" }
  /** Both ends are included. */
  | { kind: "part"; start: number; end: number }
  /** It lies outside of the file. */
  | { kind: "outside" };

const whole: ByteRange = { kind: "whole" };

/** Reads a `Range` header. Of several ranges none is sent alone: a player asks for one, and the file is right too. */
export function readByteRange(header: string | undefined, size: number): ByteRange {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? "") ?? [];
  if (first === "" && last === "") return whole;
  const start = first === "" ? Math.max(size - Number(last), 0) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== "" && last !== "" && Number(last) < start) return whole;
  return start > end ? { kind: "outside" } : { kind: "part", start, end };
}

/** Whether a tag is among those of `If-None-Match`. A proxy that compresses has made it weak. */
export function matchesEntityTag(header: string | undefined, tags: readonly string[]): boolean {
  const sent = (header ?? "").split(",").map((one) => one.trim().replace(/^W\//, ""));
  return sent.includes("*") || tags.some((tag) => sent.includes(tag));
}
