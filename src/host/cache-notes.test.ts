import { expect, test } from "vitest";
import { type CacheDecision, silentRequestSignals, silentServerSignals } from "#signals";
import { withCacheNotes } from "./cache-notes.ts";

test("the terminal says once why a page was not cached, and again when the reason is another one", () => {
  const lines: string[] = [];
  const signals = withCacheNotes(
    { ...silentServerSignals, request: (_facts, run) => run(silentRequestSignals) },
    { root: "/shop", print: (line) => lines.push(line) },
  );
  const visit = (decision: CacheDecision): void =>
    signals.request({ method: "GET", target: "/", header: () => undefined }, (request) => {
      request.matched("/items", {}, "document");
      request.cached(decision);
    });
  const place = "/shop/src/pages/items.server.ts:12";
  const read: CacheDecision = { kind: "bypass", reason: { kind: "read", what: "locals", name: "user", place } };
  visit(read);
  visit(read);
  visit({ kind: "bypass", reason: { kind: "guard" } });
  visit({ kind: "hit", ageMs: 1, savedMs: 1 });
  visit({ kind: "bypass", reason: { kind: "guard" } });
  const guarded = "/items is not cached: the page or a folder around it has a guard";
  expect(lines).toEqual([
    "/items is not cached: locals.user was read at src/pages/items.server.ts:12",
    guarded,
    guarded,
  ]);
});
