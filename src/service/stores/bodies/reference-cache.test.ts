import { describe, expect, it } from "vitest";
import { ReferenceCache } from "./reference-cache.ts";

describe("cached references", () => {
  it("returns the stored bodies, by week and group", () => {
    const references = new ReferenceCache({ bytes: 1_000, entries: 10 });
    references.keep("w1", 1, Buffer.from("first"));
    references.keep("w2", 1, Buffer.from("other week"));
    expect(references.get("w1", 1)?.toString()).toBe("first");
    expect(references.get("w2", 1)?.toString()).toBe("other week");
    expect(references.get("w1", 2)).toBeUndefined();
  });

  it("uses one buffer of the allowed size, however many small bodies there are", () => {
    const references = new ReferenceCache({ bytes: 65_536, entries: 500 });
    const memories = new Set<unknown>();
    for (let group = 0; group < 20_000; group += 1) {
      references.keep("w", group, Buffer.from(`body ${group}`));
      memories.add(references.get("w", group)?.buffer);
      expect(references.entries).toBeLessThanOrEqual(500);
    }
    expect(memories.size).toBe(1);
    expect([...memories]).toMatchObject([{ byteLength: 65_536 }]);
  });

  it("overwrites the oldest, and never returns one body under the name of another", () => {
    const references = new ReferenceCache({ bytes: 10_000, entries: 1_000 });
    const bodyOf = (group: number): string => `${group} `.repeat(1 + ((group * 37) % 400));
    for (let group = 0; group < 3_000; group += 1) {
      references.keep("w", group, Buffer.from(bodyOf(group)));
      if (group % 500 === 250) references.forget("w");
      for (let before = Math.max(0, group - 20); before <= group; before += 1) {
        const kept = references.get("w", before)?.toString();
        if (kept !== undefined) expect(kept).toBe(bodyOf(before));
      }
    }
    expect(references.get("w", 0)).toBeUndefined();
    expect(references.entries).toBeGreaterThan(3);
  });

  it("does not store a body that would evict most others", () => {
    const references = new ReferenceCache({ bytes: 1_000, entries: 10 });
    references.keep("w", 1, Buffer.alloc(251));
    expect(references.entries).toBe(0);
  });

  it("forgets a week and keeps the others", () => {
    const references = new ReferenceCache({ bytes: 1_000, entries: 10 });
    references.keep("w1", 1, Buffer.from("a"));
    references.keep("w2", 1, Buffer.from("b"));
    references.forget("w1");
    expect(references.get("w1", 1)).toBeUndefined();
    expect(references.get("w2", 1)?.toString()).toBe("b");
  });
});
