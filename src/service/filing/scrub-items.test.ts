import { describe, expect, it } from "vitest";
import type { EnvelopeItem } from "#protocol";
import { scrubItems } from "./scrub-items.ts";

const rule = (path: string, expression: string) => ({ id: `${path} ${expression}`, path, expression, createdAt: 0 });
const rules = [rule("", "KD-\\d{6}"), rule("customer.name", ""), rule("comments", "")];

function fileOf(filename: string, payload: Uint8Array | string): EnvelopeItem {
  return { header: { type: "attachment", filename }, payload: Buffer.from(payload) };
}

function scrubbed(item: EnvelopeItem): { filename: unknown; text: string } {
  const [clean = item] = scrubItems([item], rules);
  return { filename: clean.header.filename, text: Buffer.from(clean.payload).toString() };
}

describe("the rules of a project", () => {
  it("take values out of attached JSON by their path, and matches of expressions everywhere", () => {
    const json = { customer: { name: "Ada", id: "KD-123456" }, name: "stays" };
    const { filename, text } = scrubbed(fileOf("KD-123456.json", JSON.stringify(json)));
    expect(JSON.parse(text)).toEqual({ customer: { name: "[scrubbed]", id: "[scrubbed]" }, name: "stays" });
    expect(filename).toBe("[scrubbed].json");
  });

  it("take matches of expressions out of attached texts, and JSON that is too deep or broken is a text", () => {
    expect(scrubbed(fileOf("a.log", "order of KD-123456\n")).text).toBe("order of [scrubbed]\n");
    expect(scrubbed(fileOf("a.json", '{"customer":{"id":"KD-123456"')).text).toBe('{"customer":{"id":"[scrubbed]"');
    const deep = `${"[".repeat(100_000)}"KD-123456"${"]".repeat(100_000)}`;
    expect(scrubbed(fileOf("deep.json", deep)).text).toBe(deep.replace("KD-123456", "[scrubbed]"));
  });

  it("leave every other file as it came", () => {
    const png = fileOf("a.png", Uint8Array.of(0x89, 0x50, 0xff, 0xfe, ...Buffer.from("KD-123456")));
    expect(scrubItems([png], rules)).toEqual([png]);
    const text = fileOf("a.json", '{ "customer":   { "id": 7 } }');
    expect(scrubItems([text], rules), "with its spaces").toEqual([text]);
  });

  it("hold for what visitors wrote, in both of its forms", () => {
    const payload = Buffer.from(JSON.stringify({ comments: "I am KD-123456", name: "Ada" }));
    const [clean] = scrubItems([{ header: { type: "user_report" }, payload }], rules);
    expect(JSON.parse(Buffer.from(clean?.payload ?? "").toString())).toEqual({ comments: "[scrubbed]", name: "Ada" });
  });
});
