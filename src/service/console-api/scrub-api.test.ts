import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import { openAdministration } from "../administration/administration.ts";
import { openReader } from "../open-reader.ts";
import { openService } from "../open-service.ts";
import { openSharedState } from "../shared/open-shared-state.ts";
import { openScrubApi } from "./scrub-api.ts";

it("a rule is tried on the newest events, then holds for what is filed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-scrub-"));
  const shared = await openSharedState(folder);
  const service = await openService({ dataFolder: folder, shared });
  const reader = await openReader(folder);
  const administration = openAdministration(shared, Date.now, async () => undefined);
  const store = async () => reader;
  const scrub = openScrubApi({ projects: shared.projects, store, administration, now: Date.now });
  const send = async (customer: string): Promise<string> => {
    const eventId = newEventId();
    const event = {
      event_id: eventId,
      exception: { values: [{ type: "Error", value: `order of KD-${customer} failed` }] },
      request: { url: "https://shop.example/", headers: { "X-Customer": `KD-${customer}`, Accept: "text/html" } },
      extra: { basket: { owner: `KD-${customer}` } },
    };
    const log = { items: [{ timestamp: 1, level: "info", body: `seen KD-${customer}` }] };
    await service.accept(1, writeEnvelope({ eventId }, [jsonItem("event", event)]));
    await service.accept(1, writeEnvelope({}, [jsonItem("log", log)]));
    await service.drained();
    return eventId;
  };
  const before = await send("111111");
  const rule = { path: "", expression: "KD-\\d{6}" };
  expect(await scrub.try(1, rule)).toMatchObject({
    kind: "tried",
    events: [
      {
        eventId: before,
        changes: expect.arrayContaining([
          { path: "request.headers.X-Customer", before: "KD-111111", after: "[scrubbed]" },
          { path: "exception.value", before: "order of KD-111111 failed", after: "order of [scrubbed] failed" },
          { path: "extra.basket.owner", before: "KD-111111", after: "[scrubbed]" },
        ]),
      },
    ],
  });
  expect(await scrub.try(1, { path: "", expression: "(a+)+" })).toMatchObject({
    kind: "refused",
    problems: { expression: expect.any(String) },
  });
  expect(await scrub.add(1, rule, "ada")).toMatchObject({ kind: "done" });
  expect(await scrub.add(1, { path: "request.headers.acc*", expression: "" }, "ada")).toMatchObject({ kind: "done" });
  expect(await scrub.add(1, rule, "ada")).toMatchObject({ kind: "refused" });
  // The thread reads the rules within a second.
  await expect.poll(async () => stored(await send("222222")), { timeout: 30_000 }).not.toContain("KD-222222");
  const text = await stored(await send("333333"));
  expect(text).toContain("order of [scrubbed] failed");
  expect(text).not.toContain("KD-333333");
  expect(text).not.toContain("text/html");
  const logs = JSON.stringify(await reader.recent({ project: 1, limit: 100 }));
  expect(logs).toContain("KD-111111");
  expect(logs).not.toContain("KD-333333");
  expect((await administration.audit(1, 2)).map(({ what }) => what)).toEqual([
    "takes out of reports: request.headers.acc*",
    "takes out of reports: an expression, everywhere",
  ]);
  await service.close();
  reader.close();
  await shared.close();
  rmSync(folder, { recursive: true });

  async function stored(eventId: string): Promise<string> {
    return JSON.stringify(await reader.event(1, eventId));
  }
}, 60_000);
