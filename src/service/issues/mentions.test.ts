import { expect, it } from "vitest";
import { mentionsIn } from "./mentions.ts";

it.each([
  ["same as #12 and (#3), not #12 again.", [12, 3]],
  ["#1", [1]],
  ["#0, #00, #1234567890", []],
  ["no#1, a/#2, &#39; ##4 #5a #6-7 # 8", []],
  ["`#1` but #2\n```\n#3\n```\n#4", [2, 4]],
  ["```\n#3 without an end", []],
  ["é#1 and #２", []],
])("names in %j the issues %j", (text, numbers) => {
  expect(mentionsIn(text)).toEqual(numbers);
});

it("names at most 20 issues", () => {
  const text = Array.from({ length: 1_000 }, (_, n) => `#${n + 1}`).join(" ");
  expect(mentionsIn(text)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
});
