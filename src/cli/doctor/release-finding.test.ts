import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { releaseFinding } from "./release-finding.ts";

test("the doctor names routes that run on the build before, or fail and cannot", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-doctor-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(await releaseFinding(folder)).toEqual([]);
  const write = (name: string, servedAt: number, routes: object): void => {
    mkdirSync(path.join(folder, "releases", name), { recursive: true });
    const note = { ...{ key: name, name, build: name, holdfast: "1", data: "", servedAt, before: "2.4" }, routes };
    writeFileSync(path.join(folder, "releases", name, "note.json"), JSON.stringify({ ...note, counts: {} }));
  };
  write("2.4", 1, {});
  expect(await releaseFinding(folder)).toEqual([
    { kind: "good", about: "Releases", message: "2.4 answers all its routes" },
  ]);
  const tally = { requests: 0, failures: 0 };
  const cause = { since: 1, new: tally, before: tally };
  write("2.5", 2, {
    "/cart": { at: "trial", heals: 1, rate: 1, tally, cause },
    "/pay": { at: "kept", why: "its actions changed", cause },
  });
  expect((await releaseFinding(folder)).map(({ kind, message }) => `${kind}: ${message}`)).toEqual([
    "notice: /cart runs on 2.4 (healed, and the new build is being tried)",
    "notice: /pay runs on 2.5 (not healed: its actions changed)",
  ]);
});
