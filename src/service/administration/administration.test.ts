import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Projects } from "../projects.ts";
import { type Administration, openAdministration } from "./administration.ts";

describe("changes by owners", () => {
  let folder: string;
  let administration: Administration;
  let now = 1_000;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-office-"));
    const projects = Projects.open(folder);
    administration = openAdministration({ dataFolder: folder, projects: () => projects, now: () => now++ });
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it("changes are logged with their author, newest first, for each project beside those for all", () => {
    const shop = administration.addProject("shop", "ada");
    administration.record({ by: "max", project: 1, what: "looked" });
    administration.changeSettings({ ...administration.settings(), keepDays: 30 }, "ada");
    expect(administration.audit(shop.id, 10).map(({ by, what }) => `${by} ${what}`)).toEqual([
      "ada keeps events for 30 days, before 90",
      "ada made the project shop",
    ]);
    expect(administration.audit(1, 1)).toHaveLength(1);
    expect(statSync(join(folder, "audit.jsonl")).mode & 0o777).toBe(0o600);
  });

  it("changes apply to every process, and invalid ones are refused", () => {
    const elsewhere = Projects.open(folder);
    administration.renameProject(1, "till", "ada");
    administration.renewKey(1, "ada");
    expect(Projects.open(folder).all).toMatchObject([{ id: 1, name: "till" }]);
    expect(Projects.open(folder).all[0]?.publicKey).not.toBe(elsewhere.all[0]?.publicKey);
    expect(administration.changeSettings({ ...administration.settings(), keepDays: 0 }, "ada")).toEqual({
      keepDays: "From 1 day to 3,650.",
    });
    expect(administration.settings().keepDays).toBe(90);
    writeFileSync(join(folder, "settings.json"), "{ broken");
    expect(administration.settings().keepDays).toBe(90);
  });

  it("changes of secret names can be tried before they are saved", () => {
    const rules = { alsoSecret: ["pin"], keepAddresses: false };
    expect(JSON.parse(administration.tryScrubbing('{"pin":1234,"password":"x","city":"Oslo"}', rules))).toEqual({
      pin: "[scrubbed]",
      password: "[scrubbed]",
      city: "Oslo",
    });
    expect(administration.tryScrubbing("GET /a?token=abc&b=1", rules)).toBe("GET /a?token=[scrubbed]&b=1");
  });
});
