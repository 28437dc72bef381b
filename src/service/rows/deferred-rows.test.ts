import { expect, test } from "vitest";
import { deferRows } from "./deferred-rows.ts";
import type { Rows } from "./rows.ts";

function counted() {
  const calls: string[] = [];
  const rows: Rows = {
    all: async () => [],
    one: async () => undefined,
    run: async () => 1,
    transaction: (work) => work(rows),
    close: async () => void calls.push("close"),
  };
  const deferred = deferRows(() => {
    calls.push("open");
    return rows;
  });
  return { calls, deferred };
}

test("rows are opened once, by the first statement", async () => {
  const { calls, deferred } = counted();
  expect(calls).toEqual([]);
  expect([await deferred.run("…"), await deferred.transaction(async (rows) => rows.all("…"))]).toEqual([1, []]);
  deferred.open();
  await deferred.close();
  expect(calls).toEqual(["open", "close"]);
});

test("rows that were never asked for are not opened to be closed", async () => {
  const { calls, deferred } = counted();
  await deferred.close();
  expect(calls).toEqual([]);
});
