import { describe, expect, test } from "vitest";
import { action, load } from "./author/define.ts";
import { notFound } from "./author/outcome.ts";
import type { HandlerOptions } from "./index.ts";
import { type TestFiles, testApplication } from "./test-application.ts";

const fails = (): never => {
  throw new Error("broken");
};

const files: TestFiles = {
  "cart.tsx": { default: () => <p>cart</p> },
  "cart.server.ts": {
    data: load(() => null),
    actions: { add: action({}, fails), empty: action({ keeps: true }, () => ({})) },
  },
  "broken.tsx": { default: () => <p>{fails()}</p> },
  "gone/[id].tsx": { default: () => <p>gone</p> },
  "gone/[id].server.ts": { data: load(() => notFound()), heals: false },
  "stock.server.ts": { GET: fails },
  "unreadable.tsx": async () => fails(),
};

/** What a watch was asked and told. */
function recordingWatch() {
  const seen: string[] = [];
  const watch: HandlerOptions["watch"] = {
    answer: ({ route, kind, exchange: { incoming, response } }, answer) => {
      if (incoming.headers["x-elsewhere"] === undefined) return answer();
      seen.push(`${kind} ${route} elsewhere`);
      response.end("from another build");
    },
    answered: ({ route, kind }, hasFailed) => seen.push(`${kind} ${route} ${hasFailed ? "failed" : "worked"}`),
  };
  return { seen, watch };
}

describe("the watch of routes", () => {
  test("learns of every request to a route whether it failed, and a page that is not there is no failure", async () => {
    const { seen, watch } = recordingWatch();
    await using app = await testApplication(files, { watch });
    for (const target of ["/cart", "/cart/_data", "/broken", "/gone/7", "/stock", "/nowhere"]) await app.ask(target);
    const body = "x=1";
    const headers = { "content-type": "application/x-www-form-urlencoded", origin: app.origin };
    await app.ask("/cart/_action/add", { method: "POST", headers, body });
    expect(seen).toEqual([
      "page /cart worked",
      "page /cart worked",
      "page /broken failed",
      "page /gone/[id] worked",
      "api /stock failed",
      "page /cart failed",
    ]);
  });

  test("what two builds must have in common: kind, folders, guards, actions with what they take, and methods", async () => {
    await using app = await testApplication(files);
    expect(await app.contractOf?.("/cart")).toEqual({
      kind: "contract",
      parts: { kind: "page", folders: "/", guards: "none, none", actions: "add, empty keeps", methods: "" },
    });
    expect(await app.contractOf?.("/stock")).toMatchObject({ parts: { kind: "api", methods: "GET" } });
    expect(await app.contractOf?.("/gone/[id]")).toEqual({ kind: "refused" });
    expect(await app.contractOf?.("/unreadable")).toEqual({ kind: "unreadable" });
    expect(await app.contractOf?.("/nowhere")).toEqual({ kind: "missing" });
  });

  test("may have another build answer, of which nothing is recorded here", async () => {
    const { seen, watch } = recordingWatch();
    await using app = await testApplication(files, { watch });
    const answer = await app.ask("/broken", { headers: { "x-elsewhere": "1" } });
    expect([answer.text, seen, app.recorded]).toEqual(["from another build", ["page /broken elsewhere"], []]);
  });
});
