import { expect, it, vi } from "vitest";
import { FiguresWriter } from "./figures-writer.ts";
import type { IntakeChanges } from "./intake/figures.ts";
import type { Projects } from "./projects.ts";

it("the use of keys is written a second after a quiet minute, then at most once a minute, and when the service ends", async () => {
  vi.useFakeTimers();
  try {
    const written: number[] = [];
    const writer = new FiguresWriter({
      figures: {
        ofKeys: () => [],
        ofFilters: () => [],
        spikeOf: () => undefined,
        add: async ({ keys }: IntakeChanges) => void written.push(keys.get("key")?.refused ?? -1),
      },
      projects: { all: [], findKey: () => undefined } as unknown as Projects,
      clock: { now: () => Date.now(), elapsed: () => performance.now() },
      clean: (text) => text,
    });
    writer.counts.keyRefused("key");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(written).toEqual([1]);
    for (let index = 0; index < 590; index += 1) {
      writer.counts.keyRefused("key");
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(written).toEqual([1]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(written).toEqual([1, 590]);
    writer.counts.keyRefused("key");
    await writer.close();
    expect(written).toEqual([1, 590, 1]);
  } finally {
    vi.useRealTimers();
  }
});
