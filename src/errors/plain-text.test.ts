import { expect, test } from "vitest";
import { plainLine, plainText } from "./plain-text.ts";

const esc = String.fromCharCode(0x1b);
const csi = String.fromCharCode(0x9b);

test("Text for a terminal shows what a terminal would obey", () => {
  const title = `${esc}]0;owned${String.fromCharCode(7)}`;
  expect(plainText(`a${title}b`)).toBe("a\\u001b]0;owned\\u0007b");
  expect(plainText(`${csi}2J`)).toBe("\\u009b2J");
  expect(plainText("paid\rfree")).toBe("paid\\u000dfree");
  expect(plainText(`user${String.fromCharCode(0x202e)}nimda`)).toBe("user\\u202enimda");
});

test("Words of every language, tabs and line breaks stay unchanged", () => {
  const text = "✗ Größe 价格 👍🏽\n\tat f (a.ts:1:2)";
  expect(plainText(text)).toBe(text);
  expect(plainText("one\r\ntwo")).toBe("one\ntwo");
});

test("JSON stays the same value", () => {
  const value = { message: `${esc}[31m${csi}x` };
  expect(JSON.parse(plainText(JSON.stringify(value)))).toEqual(value);
});

test("A part of a line cannot begin another one", () => {
  expect(plainLine("broken\n#2  resolved")).toBe("broken\\n#2  resolved");
});
