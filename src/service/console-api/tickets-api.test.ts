import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { jsonItem, newEventId, writeEnvelope } from "#protocol";
import type { Access } from "../accounts/access.ts";
import { openService } from "../open-service.ts";
import { openConsoleApi } from "./console-api.ts";

it("an issue leads to a new ticket, keeps its address, and is resolved once by a commit that names it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-tickets-"));
  const service = await openService({ dataFolder: folder });
  const access = { kind: "none" } as unknown as Access;
  const api = openConsoleApi({ service, dataFolder: folder, access });
  const send = async (release: string): Promise<void> => {
    const eventId = newEventId();
    const exception = { values: [{ type: "TypeError", value: "cart is undefined" }] };
    await service.accept(1, writeEnvelope({ eventId }, [jsonItem("event", { event_id: eventId, release, exception })]));
    await service.drained();
  };
  await send("shop@1");
  const home = "https://errors.example/_holdfast";
  expect(await api.tickets.newTicket(1, 1, home)).toBeUndefined();
  expect(await api.tickets.changeTemplate(1, "ftp://x", "ada")).toContain("https://");
  const template = "https://tickets.example/new?t={title}&b={body}&a={address}";
  expect(await api.tickets.changeTemplate(1, template, "ada")).toBeUndefined();
  const opened = new URL((await api.tickets.newTicket(1, 1, home)) ?? "");
  expect(opened.searchParams.get("t")).toBe("TypeError: cart is undefined");
  expect(opened.searchParams.get("a")).toBe(`${home}/1/issues/1`);
  expect(opened.searchParams.get("b")).toContain("Fixes HOLDFAST-1");
  expect(opened.searchParams.get("b")).toContain("cart is undefined");
  expect(await api.tickets.newTicket(1, 99, home)).toBeUndefined();

  expect(await api.tickets.keep(1, 1, "javascript:alert(1)", "ada")).toContain("https://");
  expect(await api.tickets.keep(1, 99, "https://tickets.example/7", "ada")).toBe("There is no issue 99.");
  expect(await api.tickets.keep(1, 1, "https://tickets.example/7", "ada")).toBeUndefined();
  const period = { from: 0, to: Date.now() + 1_000 };
  const issue = async () => (await api.issue(1, 1, period))?.issue;
  expect(await issue()).toMatchObject({ ticket: "https://tickets.example/7" });
  const list = await api.issues({ project: 1, filter: "", period });
  expect(list.rows).toMatchObject([{ ticket: "https://tickets.example/7" }]);

  const build = join(folder, "build");
  mkdirSync(build);
  const commit = { hash: "1a2b3c4d5e6f", author: "Ada", at: 1, subject: "cart: it is there", files: [] };
  const commits = [{ ...commit, body: `Fixes ${home}/1/issues/1\nFixes ${home}/2/issues/1` }];
  writeFileSync(join(build, "commits.json"), JSON.stringify(commits));
  await service.addBuild(1, build, "shop@2");
  expect((await issue())?.state).toEqual({
    kind: "resolved",
    at: expect.any(Number),
    by: "commit 1a2b3c4d5e",
    fixed: { in: "release", release: "shop@2" },
  });
  // The next start adds the same build. What a person has opened stays open.
  await api.change(1, [1], { kind: "reopen" }, "ada");
  await service.addBuild(1, build, "shop@2");
  expect((await issue())?.state.kind).toBe("open");
  api.close();
  await service.close();
  rmSync(folder, { recursive: true });
});
