import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import { openAdministration } from "./administration/administration.ts";
import { openSpikesApi } from "./console-api/spikes-api.ts";
import { openService } from "./open-service.ts";
import { openSharedState } from "./shared/open-shared-state.ts";
import { spikeTrouble } from "./spike-notes.ts";

it("a spike is in the audit log, in the figures of the console and in a message, and every kind of error is kept", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-spike-"));
  const shared = await openSharedState(folder);
  let elapsed = 0;
  const clock = { now: () => 1_700_000_000_000 + elapsed, elapsed: () => elapsed };
  const service = await openService({ dataFolder: folder, shared, clock });
  const administration = openAdministration(shared, clock.now, async () => undefined);
  const spikes = openSpikesApi({
    projects: shared.projects,
    figures: shared.intakeFigures,
    administration,
    now: clock.now,
  });
  expect(await spikes.change(1, { isOn: true, times: 1, least: 5 }, "ada")).toEqual({
    times: expect.any(String),
    least: expect.any(String),
  });
  expect(await spikes.change(1, { isOn: true, times: 10, least: 20 }, "ada")).toEqual({});
  const send = async (type: string): Promise<boolean> => {
    const eventId = newEventId();
    const event = { event_id: eventId, exception: { values: [{ type, value: "broken" }] } };
    const outcome = await service.accept(1, writeEnvelope({ eventId }, [jsonItem("event", event)]));
    return outcome.kind === "accepted" && outcome.eventId !== undefined;
  };
  for (let minute = 0; minute < 11; minute += 1) {
    expect(await send("Usual")).toBe(true);
    elapsed += 60_000;
  }
  const kept = { Flood: 0, Rare: 0 };
  for (let index = 0; index < 300; index += 1) if (await send("Flood")) kept.Flood += 1;
  if (await send("Rare")) kept.Rare += 1;
  expect(kept).toEqual({ Flood: 20 + 1 + 14, Rare: 1 });
  elapsed += 10 * 60_000;
  expect(await send("Usual")).toBe(true);
  expect(service.metrics()).toContain('holdfast_items_dropped_total{reason="spike"} 265');
  await service.close();
  expect(spikes.recent(1)).toMatchObject({ dropped: 265, perMinute: 301, usual: 1 });
  expect((await administration.audit(1, 3)).map(({ by, what }) => `${by} ${what}`)).toEqual([
    "spike protection keeps all errors again; 265 repeated ones were dropped",
    "spike protection drops repeated errors: more than usual arrive, and usual are 1 in a minute",
    "ada drops repeated errors from 10 times the usual number and 20 in a minute on",
  ]);
  const spike = spikes.recent(1);
  expect(spike && spikeTrouble(new Map([[1, spike]]), shared.projects)).toEqual([
    {
      kind: "spike",
      words: "My application has 301 errors in a minute, usually 1; 265 repeated ones were dropped",
    },
  ]);
  elapsed += 86_400_000;
  expect(spikes.recent(1)).toBeUndefined();
  await shared.close();
  rmSync(folder, { recursive: true });
});
