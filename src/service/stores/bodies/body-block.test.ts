import { describe, expect, it } from "vitest";
import type { StoredJson } from "../filed.ts";
import { blockOf, bodiesPerBlock, bodyInBlock, bodyIndexOf, writeBlock } from "./body-block.ts";

const bodies: readonly StoredJson[] = [
  { form: "reported", bytes: Buffer.from('{"message":"ä"}') },
  { form: "filed", bytes: Buffer.from("{}") },
  { form: "reported", bytes: Buffer.from('{\n"message": "of two lines"\n}') },
];

describe("a block of bodies", () => {
  it("returns each body unchanged, and in its form", () => {
    const block = writeBlock(bodies);
    for (const [slot, { form, bytes }] of bodies.entries()) {
      const read = bodyInBlock(block, slot);
      expect(read?.form).toBe(form);
      expect(Buffer.from(read?.bytes ?? []).equals(bytes)).toBe(true);
    }
    expect(bodyInBlock(block, bodies.length)).toBeUndefined();
  });

  it("has places that encode block and slot", () => {
    const all = [1, 2, 70_000].flatMap((block) =>
      Array.from({ length: bodiesPerBlock }, (_, slot) => ({ block, slot })),
    );
    expect(all.map(({ block, slot }) => blockOf(bodyIndexOf(block, slot)))).toEqual(all);
    expect(new Set(all.map(({ block, slot }) => bodyIndexOf(block, slot))).size).toBe(all.length);
  });
});
