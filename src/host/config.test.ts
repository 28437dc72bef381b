import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readConfig } from "./config.ts";

function folderWith(config?: string): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  if (config !== undefined) writeFileSync(join(folder, "holdfast.config.mjs"), config);
  return folder;
}

test("Every setting has a default, so that the file may be missing", async () => {
  expect(await readConfig(folderWith())).toEqual({});
});

test("Every wrong setting is named, all of them at once", async () => {
  const config = `export default { lang: 7, origin: "shop.example", nonsense: true, report: { sampleRate: 2, dsn: "wrong" } };`;
  const error = await readConfig(folderWith(config)).catch((thrown: Error) => thrown);
  expect(error).toMatchObject({ code: "wrong-config" });
  const { message } = error as Error;
  for (const name of ["lang must be", "origin must be", "nonsense is not known", "report.sampleRate must be"])
    expect(message).toContain(name);
  // A wrong DSN must not stop an application; reporting logs what is wrong with it.
  expect(message).not.toContain("dsn must");
});
