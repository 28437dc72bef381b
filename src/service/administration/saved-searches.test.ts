import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fileDocument } from "../documents/document.ts";
import { SavedSearches, savedSearchLimits, savedSearchLimitsOf } from "./saved-searches.ts";

let folder: string;
let searches: SavedSearches;
const wish = { project: 1, owner: "ada", screen: "logs", name: "Errors", search: "q=level%3Aerror" } as const;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-searches-"));
  searches = new SavedSearches(fileDocument(join(folder, "searches.json")), { ...savedSearchLimits, each: 2 });
});
afterEach(() => rmSync(folder, { recursive: true }));

const names = (person: string, project = 1) => searches.of(project, person).map(({ name }) => name);

it("a person sees their own saved searches and the shared ones of the project, and no others", async () => {
  await searches.save(wish);
  await searches.save({ ...wish, owner: undefined, name: "Shared" });
  await searches.save({ ...wish, project: 2 });
  expect(names("ada")).toEqual(["Errors", "Shared"]);
  expect(names("max")).toEqual(["Shared"]);
  const [own] = searches.of(1, "ada");
  expect(await searches.remove({ project: 1, person: "max", id: own?.id ?? "" })).toBeUndefined();
  expect(await searches.rename({ project: 2, person: "ada", id: own?.id ?? "" }, "Stolen")).toBeUndefined();
  expect(names("ada")).toEqual(["Errors", "Shared"]);
});

it("saved searches are renamed, removed, replaced by name, and limited in number and length", async () => {
  const first = await searches.save(wish);
  const id = first.kind === "saved" ? first.saved.id : "";
  await searches.save({ ...wish, search: "q=other" });
  expect(searches.of(1, "ada")).toMatchObject([{ id, search: "q=other" }]);
  await searches.rename({ project: 1, person: "ada", id }, "Failures");
  await searches.save({ ...wish, name: "Second" });
  expect(names("ada")).toEqual(["Failures", "Second"]);
  expect(await searches.save({ ...wish, name: "Third" })).toEqual({ kind: "full", most: 2 });
  expect(await searches.save({ ...wish, name: " " })).toEqual({ kind: "unnamed" });
  expect(await searches.save({ ...wish, search: "q".repeat(3_000) })).toEqual({ kind: "too-long" });
  await searches.remove({ project: 1, person: "ada", id });
  expect(names("ada")).toEqual(["Second"]);
});

it("as many searches are saved as the operator allows", () => {
  expect(savedSearchLimitsOf({ HOLDFAST_SAVED_SEARCHES: "7" }).each).toBe(7);
  expect(() => savedSearchLimitsOf({ HOLDFAST_SAVED_SEARCHES: "0" })).toThrow("[service-wrong-search-limit]");
});
