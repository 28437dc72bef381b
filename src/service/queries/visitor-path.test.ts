import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { anEvent, batchesOf, noon } from "../stores/filed-examples.ts";
import { openSqliteStore } from "../stores/sqlite/open-sqlite-store.ts";
import { stepOfBreadcrumb, visitorPath } from "./visitor-path.ts";

describe("the path to an event", () => {
  it("contains the earlier steps, each with its kind, and the event itself at the end", async () => {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-path-"));
    const store = openSqliteStore({ folder });
    onTestFinished(() => {
      store.close();
      rmSync(folder, { recursive: true });
    });
    const crumbs = [-2, 3].map((seconds) => ({
      timestampMs: noon + seconds * 1_000,
      category: "cart",
      message: `${seconds} s`,
    }));
    const said = (text: string, at: number, level: "info" | "error" | "fatal") => {
      const event = {
        eventId: "",
        timestampMs: at,
        level,
        exceptions: [],
        message: { text },
        breadcrumbs: crumbs,
        tags: {},
        contexts: {},
        extra: {},
        modules: {},
        debugImages: [],
      };
      return anEvent({
        text,
        at,
        level,
        visitor: 7,
        body: { form: "filed", bytes: Buffer.from(JSON.stringify(event)) },
      });
    };
    const looked = said("the price is gone", noon, "fatal");
    const others = [
      said("put into the cart", noon - 9_000, "info"),
      said("no stock", noon - 8_000, "error"),
      said("later", noon + 500, "error"),
    ];
    for (const batch of batchesOf([...others, looked])) await store.commit(batch);
    const event = await store.event(1, looked.eventId);
    if (event === undefined) throw new Error("The event was not filed.");
    expect((await visitorPath(store, event)).map(({ kind, text, fails }) => [kind, text, fails ?? false])).toEqual([
      ["info", "put into the cart", false],
      ["error", "no stock", true],
      ["note", "cart: -2 s", false],
      ["fatal", "this event", true],
    ]);
  });
});

describe("a step of a visitor", () => {
  it.each([
    [{ category: "navigation", data: { from: "/", to: "/cart" } }, "navigation", "/ → /cart"],
    [{ category: "navigation", data: { screen: "Cart" } }, "note", 'navigation: {"screen":"Cart"}'],
    [{ category: "fetch", data: { method: "GET", url: "/a", status_code: 500 } }, "request", "GET /a 500"],
    [
      { type: "http", category: "httplib", data: { method: "GET", url: "http://a/", status_code: 200 } },
      "request",
      "GET http://a/ 200",
    ],
    [{ type: "http", category: "net.http", message: "GET a" }, "note", "net.http: GET a"],
    [{ category: "ui.click", message: "button#pay" }, "click", "click button#pay"],
    [
      { category: "ui.lifecycle", data: { screen: "Cart", state: "resumed" } },
      "note",
      'ui.lifecycle: {"screen":"Cart","state":"resumed"}',
    ],
    [{ category: "console", message: "hello", level: "info" }, "log", "hello"],
    [{ category: "query", message: "SELECT 1" }, "note", "query: SELECT 1"],
    [{ type: "debug", message: "x" }, "note", "debug: x"],
    [{}, "note", ""],
  ] as const)("is made of %j", (crumb, kind, text) => {
    expect(stepOfBreadcrumb(crumb, 7, 0)).toEqual({ at: 7, kind, text });
  });

  it("is marked if its client reports a failure", () => {
    const said = { category: "console", message: "no cart" } as const;
    expect(stepOfBreadcrumb({ ...said, level: "error" }, 7, 0)).toMatchObject({ kind: "log", fails: true });
    expect(stepOfBreadcrumb({ ...said, level: "warning" }, 7, 0)).not.toHaveProperty("fails");
  });
});
