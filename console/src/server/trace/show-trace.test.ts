import { describe, expect, it } from "vitest";
import { aTrace } from "./example-trace.ts";
import { placeBars } from "./place-bars.ts";
import { readIds, readRange } from "./read-wanted.ts";
import { heightsOf, showRepeat } from "./show-chosen.ts";
import { adviceFor, showRows, waitsByKind } from "./show-trace.ts";
import { traceMap } from "./trace-map.ts";
import { traceRows } from "./trace-rows.ts";

const axis = { fromMs: 0, lastsMs: 100 };
const allFolded = { filter: "", range: undefined, foldsRepeats: true, toggled: new Set<string>(), chosen: undefined };

describe("bars on the axis", () => {
  it("bars are start and width in per cent, cut to the visible range", () => {
    expect(placeBars([{ fromMs: 10, toMs: 30 }], axis)).toEqual([10, 20]);
    expect(placeBars([{ fromMs: -10, toMs: 30 }], axis)).toEqual([0, 30]);
    expect(placeBars([{ fromMs: 90, toMs: 130 }], { fromMs: 50, lastsMs: 50 })).toEqual([80, 20]);
    expect(placeBars([{ fromMs: 0, toMs: 10 }], { fromMs: 50, lastsMs: 50 })).toEqual([]);
  });

  it("bars are never too narrow to be seen, not even at the end", () => {
    expect(placeBars([{ fromMs: 10, toMs: 10 }], axis)).toEqual([10, 0.5]);
    expect(placeBars([{ fromMs: 100, toMs: 100 }], axis)).toEqual([99.5, 0.5]);
    expect(placeBars([{ fromMs: 0, toMs: 0 }], { fromMs: 0, lastsMs: 0 })).toEqual([0, 0.5]);
  });

  it("bars are one where no gap is visible, so that ten thousand periods are few bars", () => {
    const periods = Array.from({ length: 10_000 }, (_, n) => ({ fromMs: n * 0.01, toMs: n * 0.01 + 0.005 }));
    expect(placeBars(periods, axis)).toEqual([0, 100]);
    const apart = Array.from({ length: 10 }, (_, n) => ({ fromMs: n * 10, toMs: n * 10 + 5 }));
    expect(placeBars(apart, axis)).toHaveLength(20);
  });
});

describe("a shown trace", () => {
  const trace = aTrace(
    [
      [0, "page", 0, 100],
      [1, "load", 10, 80],
      [2, "query", 10, 30],
      [2, "query", 30, 50],
      [2, "query", 50, 70],
    ],
    [[2, 3, 4]],
    ({ span }, place) => ({
      waits: place === 0 ? [{ fromMs: 80, toMs: 100 }] : place > 1 ? [{ fromMs: span.startMs, toMs: span.endMs }] : [],
      kind: place > 1 ? "database" : "code",
    }),
  );

  it("shows what was waited for at the row that contains it", () => {
    const waits = (toggled: string[]) =>
      showRows(trace, traceRows(trace, { ...allFolded, toggled: new Set(toggled) }), axis).map((row) => row.waits);
    expect(waits([])).toEqual([[80, 20], [], [10, 60]]);
    expect(waits(["s1"])).toEqual([
      [80, 20],
      [10, 60],
    ]);
    expect(waits(["s2x"])).toEqual([[80, 20], [], [], [10, 20], [30, 20], [50, 20]]);
  });

  it("pins an event at its span, or at the row that hides it", () => {
    const event = {
      ...{ rowId: 1, eventId: "e", project: 1, issue: 1, at: 40, receivedAt: 40, level: "error" },
      ...{ route: undefined, release: undefined, environment: undefined, traceId: "t", visitor: undefined },
      spanId: "s3",
      title: "TypeError: no price",
    };
    const failing = { ...trace, errors: [event], repeats: [] };
    const pinned = (toggled: string[]) =>
      showRows(failing, traceRows(failing, { ...allFolded, toggled: new Set(toggled) }), axis)
        .filter(({ events }) => events !== undefined)
        .map(({ id, events }) => [id, events]);
    expect(pinned([])).toEqual([["s3", [{ id: "e", title: "TypeError: no price" }]]]);
    expect(pinned(["s1"])).toEqual([["s1", [{ id: "e", title: "TypeError: no price" }]]]);
  });

  it("divides the critical path by kind, most first", () => {
    expect(waitsByKind(trace.lines)).toEqual([
      { kind: "database", name: "Database", ms: 60 },
      { kind: "code", name: "Code", ms: 20 },
    ]);
  });

  it("gives advice only for N+1, the longest first", () => {
    expect(adviceFor(trace)).toEqual([]);
    const [three] = trace.repeats;
    const repeats = three
      ? [
          { ...three, isNPlusOne: true },
          { ...three, isNPlusOne: true, coveredMs: 90 },
        ]
      : [];
    expect(adviceFor({ ...trace, repeats }).map(({ id, times, coveredMs }) => [id, times, coveredMs])).toEqual([
      ["s2x", 3, 90],
      ["s2x", 3, 60],
    ]);
  });

  it("describes a repeat: where it is, how long each took", () => {
    const [repeat] = trace.repeats;
    expect(repeat && showRepeat(trace, repeat)).toMatchObject({
      ...{ id: "s2x", fromMs: 10, toMs: 70 },
      facts: expect.arrayContaining([
        ["Duration", "60 ms in all"],
        ["Each", "20 ms to 20 ms"],
        ["Order", "one after another"],
      ]),
    });
    expect(heightsOf([10, 20, 5])).toEqual([0.5, 1, 0.25]);
    expect(heightsOf(Array.from({ length: 1_000 }, (_, n) => n))).toHaveLength(80);
    expect(heightsOf([0, 0])).toEqual([0, 0]);
  });
});

describe("the small picture of a trace", () => {
  it("the map joins neighbours of one kind in a lane, and shows what failed", () => {
    const trace = aTrace(
      [
        [0, "page", 0, 160],
        [1, "a", 0, 40],
        [1, "b", 40, 80],
        [1, "c", 80, 81],
        [9, "deep", 0, 160],
      ],
      [],
      (_, place) => ({ isFailed: place === 3 }),
    );
    expect(traceMap(trace)).toEqual([
      { lane: 0, from: 0, width: 160, kind: "code" },
      { lane: 1, from: 0, width: 80, kind: "code" },
      { lane: 1, from: 80, width: 1, kind: "failed" },
      { lane: 5, from: 0, width: 160, kind: "code" },
    ]);
  });

  it("the map has a bounded number of pieces", () => {
    const many = Array.from({ length: 20_000 }, (_, n) => [n % 7, `s${n}`, n, n + 1] as const);
    const kinds = ["code", "database", "request"] as const;
    const map = traceMap(aTrace(many, [], (_, place) => ({ kind: kinds[place % 3] ?? "code" })));
    expect(map.length).toBeLessThanOrEqual(160 * 6);
  });
});

describe("the address of a trace", () => {
  it("an address names rows by id, and nothing else", () => {
    expect([...readIds("0af1.77x.<b>..zz")]).toEqual(["0af1", "77x"]);
    expect(readIds(null).size).toBe(0);
    expect(readIds(Array.from({ length: 500 }, (_, n) => n).join(".")).size).toBe(100);
  });

  it("an address has a range of the axis, which ends with the trace", () => {
    expect(readRange("10-20.5", 100)).toEqual({ fromMs: 10, lastsMs: 10.5 });
    expect(readRange("90-500", 100)).toEqual({ fromMs: 90, lastsMs: 10 });
    for (const text of [null, "", "20-10", "5-5", "200-300", "a-b", "-5-10"])
      expect(readRange(text, 100)).toBeUndefined();
  });
});
