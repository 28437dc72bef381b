import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../scripts/root.js";
import { removePastBookings } from "../tour/src/schedules.server.ts";
import { bookings } from "../tour/src/server/bookings.ts";
import { contents, findGuide } from "../tour/src/server/guides.ts";
import { highlight } from "../tour/src/server/highlight.ts";
import { readMarkdown } from "../tour/src/server/markdown.ts";
import { searchGuides } from "../tour/src/server/search-guides.ts";
import { taskRuns } from "../tour/src/server/task-runs.ts";
import { thrownBy } from "../tour/src/server/thrown-line.ts";

const asItIs = (href: string): string => href;

describe("the tour's documentation", () => {
  test("takes HTML in a guide as text, wherever it stands", () => {
    const blocks = readMarkdown('<script>alert(1)</script>\n\nan <img src="x"> and `<b>`\n\n- <i>item</i>', asItIs);
    expect(JSON.stringify(blocks)).toContain(JSON.stringify("<script>alert(1)</script>").slice(1, -1));
    const kinds = new Set(blocks.map(({ kind }) => kind));
    expect([...kinds]).toEqual(["paragraph", "list"]);
    expect(JSON.stringify(blocks)).toContain(JSON.stringify('<img src="x">').slice(1, -1));
  });

  test("colours code without changing it", () => {
    const code = 'import { a } from "b"; // why\nconst c = `d` + 2_000;\n<A b="c">text</A>';
    const pieces = highlight(code, "tsx");
    expect(pieces.map(([, text]) => text).join("")).toBe(code);
    expect(new Set(pieces.map(([kind]) => kind))).toEqual(new Set(["", "word", "text", "comment", "number", "tag"]));
    expect(highlight(code, "unknown")).toEqual([["", code]]);
  });

  test("leads from guide to guide by address, as the files do by name", () => {
    const names = contents.flatMap(({ guides }) => guides.map(({ name }) => name));
    expect(names.length).toBeGreaterThan(12);
    const [first = "", second] = names;
    expect(findGuide(first)?.next?.name).toBe(second);
    expect(JSON.stringify(findGuide(first)?.blocks)).toContain('"/docs/deployment"');
    expect(findGuide("no-such-guide")).toBeUndefined();
  });

  test("finds sections that have all the words, and says where they stand", () => {
    const hits = searchGuides("secret openssl");
    expect(hits.map(({ to }) => to)).toContain("/docs/guards-and-sessions#a-session");
    // A word in the heading counts for more than many in the text.
    const [best] = hits;
    expect(best?.to).toMatch(/^\/docs\/error-catalogue#.*secret-too-short$/);
    expect(best?.excerpt.filter((_, index) => index % 2 === 1).join(" ")).toMatch(/secret|openssl/i);
    expect(searchGuides("")).toEqual([]);
    expect(searchGuides("xyzzy")).toEqual([]);
    // Signs that mean something in an expression are letters like any other here.
    expect(searchGuides("(((")).toEqual([]);
  });
});

test("the picture of the tour's start page shows the line that throws as it is in the file", () => {
  const thrown = thrownBy("/try/break/load");
  const file = readFileSync(join(root, "tour/src/pages/try/break", thrown?.file ?? ""), "utf8").split("\n");
  for (const { number, pieces } of thrown?.lines ?? [])
    expect(pieces.map(([, text]) => text).join("")).toBe(file[number - 1]);
  const failing = thrown?.lines.filter(({ throws }) => throws) ?? [];
  expect(failing).toHaveLength(1);
  expect(file[(failing[0]?.number ?? 0) - 1]).toContain(`throw new Error("${thrown?.message}")`);
});

describe("the tour's scheduled task", () => {
  const run = (dueAt: Date): unknown =>
    removePastBookings.run({ name: "remove-past-bookings", dueAt, signal: AbortSignal.timeout(1_000) });

  test("removes bookings whose day is over, and fails once if told so", () => {
    bookings.add({ name: "Ada", date: "2031-05-04", time: "18:00" });
    bookings.add({ name: "Jo", date: "2031-05-05", time: "18:00" });
    taskRuns.failNext();
    const dueAt = new Date("2031-05-05T00:01:00Z");
    expect(() => run(dueAt)).toThrow("could not be locked");
    expect(bookings.latest()).toHaveLength(2);
    run(dueAt);
    expect(bookings.latest().map(({ name }) => name)).toEqual(["Jo"]);
    expect(taskRuns.latest()).toEqual([
      { dueAt, outcome: { kind: "removed", bookings: 1 } },
      { dueAt, outcome: { kind: "failed" } },
    ]);
  });
});
