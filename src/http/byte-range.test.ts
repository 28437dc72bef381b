import { expect, test } from "vitest";
import { matchesEntityTag, readByteRange } from "./byte-range.ts";

test.each<[string | undefined, number, ReturnType<typeof readByteRange>]>([
  [undefined, 100, { kind: "whole" }],
  ["bytes=0-", 100, { kind: "part", start: 0, end: 99 }],
  ["bytes=0-0", 100, { kind: "part", start: 0, end: 0 }],
  ["bytes=10-19", 100, { kind: "part", start: 10, end: 19 }],
  ["Bytes=99-200", 100, { kind: "part", start: 99, end: 99 }],
  ["bytes=-10", 100, { kind: "part", start: 90, end: 99 }],
  ["bytes=-1000", 100, { kind: "part", start: 0, end: 99 }],
  ["bytes=100-", 100, { kind: "outside" }],
  ["bytes=100-200", 100, { kind: "outside" }],
  ["bytes=-0", 100, { kind: "outside" }],
  ["bytes=0-", 0, { kind: "outside" }],
  ["bytes=99999999999999999999-", 100, { kind: "outside" }],
  ["bytes=20-10", 100, { kind: "whole" }],
  ["bytes=0-1,5-6", 100, { kind: "whole" }],
  ["bytes=-", 100, { kind: "whole" }],
  ["bytes=a-b", 100, { kind: "whole" }],
  ["lines=0-1", 100, { kind: "whole" }],
])("the range %j of %d bytes is %j", (header, size, range) => {
  expect(readByteRange(header, size)).toEqual(range);
});

test.each<[string | undefined, boolean]>([
  ['"a"', true],
  ['W/"a"', true],
  ['"x", "b"', true],
  ["*", true],
  ['"x"', false],
  [undefined, false],
])("the tags %j have one of two: %s", (header, has) => {
  expect(matchesEntityTag(header, ['"a"', '"b"'])).toBe(has);
});
