import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { compressFiles } from "./compress-files.ts";

test("files that are not compressed by format get compressed copies: styles as well as older fonts", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-compress-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const content = Buffer.from("glyph ".repeat(1_000));
  const names = ["letters.ttf", "letters.otf", "site.ico", "prices.csv", "site.css", "letters.woff2", "photo.avif"];
  for (const name of names) writeFileSync(join(folder, name), content);
  const served = await compressFiles(folder);
  const encoded = served.filter(({ encoded }) => Object.keys(encoded).length === 3).map(({ file }) => file);
  expect(encoded.sort()).toEqual(["letters.otf", "letters.ttf", "prices.csv", "site.css", "site.ico"]);
  expect(gunzipSync(readFileSync(join(folder, "letters.ttf.gz")))).toEqual(content);
});
