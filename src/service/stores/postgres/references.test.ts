import { expect, test } from "vitest";
import { pack } from "../bodies/packing.ts";
import { keyOf, References } from "./references.ts";

test("a reference that another writer made first is never taken for the own one", async () => {
  const [own, others] = [Buffer.from("the body that this writer saw first"), Buffer.from("the one of another writer")];
  const references = new References();
  references.keep(7, 3, { id: 900, body: own });
  // An outage: what was cached may not be in the database.
  references.forget();
  const row = { id: 100, part: 7, grp: 3, packed: pack(others) };
  const queries = { all: async <Row>() => [row as Row], one: async () => undefined, run: async () => 0 };
  const found = async () => (await references.find(queries, [{ part: 7, group: 3 }])).get(keyOf(7, 3));
  expect(await found()).toEqual({ id: 100, body: others });
  // From the cache.
  expect(await found()).toEqual({ id: 100, body: others });
});
