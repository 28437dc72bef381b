import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { jsonItem, writeEnvelope } from "#protocol";
import { openAdministration } from "../administration/administration.ts";
import { exampleMs } from "../intake/figures.ts";
import { filterLimits } from "../intake/filters.ts";
import { openService } from "../open-service.ts";
import { openSharedState } from "../shared/open-shared-state.ts";
import { openFiltersApi } from "./filters-api.ts";

it("a filter drops before the journal, and shows how many, and the last one without its secrets for a day", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-filters-"));
  const shared = await openSharedState(folder);
  const service = await openService({ dataFolder: folder, shared });
  let now = Date.now();
  const administration = openAdministration(
    shared,
    () => now,
    async () => undefined,
  );
  const filters = openFiltersApi({
    projects: shared.projects,
    figures: shared.intakeFigures,
    administration,
    now: () => now,
  });
  const added = await filters.add(1, { kind: "message", pattern: "*resizeobserver*" }, "ada");
  expect(added).toMatchObject({ kind: "done" });
  expect(await filters.add(1, { kind: "message", pattern: "*resizeobserver*" }, "ada")).toMatchObject({
    why: "There is such a filter already.",
  });
  const send = (message: string, index: number) => {
    const eventId = String(index).padStart(32, "a");
    const files = [jsonItem("event", { event_id: eventId, message, release: "shop@1" })];
    return service.accept(1, writeEnvelope({ eventId }, files));
  };
  const before = service.stats().journal.appendedRecords;
  expect(await send("ResizeObserver loop ?token=abcdef", 1)).toEqual({
    kind: "accepted",
    eventId: undefined,
    limits: [],
  });
  expect(await send("ResizeObserver loop ?token=abcdef", 2)).toMatchObject({ kind: "accepted", eventId: undefined });
  expect(await send("something else", 3)).toMatchObject({ eventId: "3".padStart(32, "a") });
  expect(service.stats().journal.appendedRecords).toBe(before + 1);
  expect(service.metrics()).toContain('holdfast_items_dropped_total{reason="filtered"} 2');
  // The figures are written when the service ends, too.
  await service.close();
  expect(filters.of(1)).toMatchObject([
    { kind: "message", dropped: 2, example: "ResizeObserver loop ?token=[scrubbed] · shop@1" },
  ]);
  now += exampleMs + 60_000;
  expect(filters.of(1)).toMatchObject([{ dropped: 2, example: undefined }]);
  for (let index = 1; index < filterLimits.perProject; index += 1)
    await filters.add(1, { kind: "release", pattern: `shop@${index}` }, "ada");
  expect(await filters.add(1, { kind: "crawler", pattern: "" }, "ada")).toMatchObject({
    why: expect.stringContaining("at most 50"),
  });
  const [first] = filters.of(1);
  expect(await filters.remove(1, first?.id ?? "", "max")).toBe(true);
  expect(await filters.remove(1, first?.id ?? "", "max")).toBe(false);
  expect((await administration.audit(1, 1))[0]).toMatchObject({
    by: "max",
    what: "no longer drops reports: message *resizeobserver*",
  });
  await shared.close();
  rmSync(folder, { recursive: true });
});
