import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Projects } from "../projects.ts";
import { type Office, openOffice } from "./office.ts";

describe("what owners decide", () => {
  let folder: string;
  let office: Office;
  let now = 1_000;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-office-"));
    const projects = Projects.open(folder);
    office = openOffice({ dataFolder: folder, projects: () => projects, now: () => now++ });
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it("is written down with who decided it, newest first, each project's own beside what concerns all", () => {
    const shop = office.addProject("shop", "ada");
    office.record({ by: "max", project: 1, what: "looked" });
    office.changeSettings({ ...office.settings(), keepDays: 30 }, "ada");
    expect(office.audit(shop.id, 10).map(({ by, what }) => `${by} ${what}`)).toEqual([
      "ada keeps events for 30 days, before 90",
      "ada made the project shop",
    ]);
    expect(office.audit(1, 1)).toHaveLength(1);
    expect(statSync(join(folder, "audit.jsonl")).mode & 0o777).toBe(0o600);
  });

  it("holds for every process that looks, and refuses what cannot be", () => {
    const elsewhere = Projects.open(folder);
    office.renameProject(1, "till", "ada");
    office.renewKey(1, "ada");
    expect(Projects.open(folder).all).toMatchObject([{ id: 1, name: "till" }]);
    expect(Projects.open(folder).all[0]?.publicKey).not.toBe(elsewhere.all[0]?.publicKey);
    expect(office.changeSettings({ ...office.settings(), keepDays: 0 }, "ada")).toEqual({
      keepDays: "From 1 day to 3,650.",
    });
    expect(office.settings().keepDays).toBe(90);
    writeFileSync(join(folder, "settings.json"), "{ broken");
    expect(office.settings().keepDays).toBe(90);
  });

  it("about secrets can be tried before it is decided", () => {
    const rules = { alsoSecret: ["pin"], keepAddresses: false };
    expect(JSON.parse(office.tryScrubbing('{"pin":1234,"password":"x","city":"Oslo"}', rules))).toEqual({
      pin: "[scrubbed]",
      password: "[scrubbed]",
      city: "Oslo",
    });
    expect(office.tryScrubbing("GET /a?token=abc&b=1", rules)).toBe("GET /a?token=[scrubbed]&b=1");
  });
});
