import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { compressFiles, readEffort } from "./compress-files.ts";

test("files that are not compressed by format get compressed copies: styles as well as older fonts", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-compress-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const content = Buffer.from("glyph ".repeat(1_000));
  const names = ["letters.ttf", "letters.otf", "site.ico", "prices.csv", "site.css", "letters.woff2", "photo.avif"];
  for (const name of names) writeFileSync(join(folder, name), content);
  const served = await compressFiles(folder, "best");
  const encoded = served.filter(({ encoded }) => Object.keys(encoded).length === 3).map(({ file }) => file);
  expect(encoded.sort()).toEqual(["letters.otf", "letters.ttf", "prices.csv", "site.css", "site.ico"]);
  expect(gunzipSync(readFileSync(join(folder, "letters.ttf.gz")))).toEqual(content);
});

test("less effort makes larger copies, and the same gzip, whose sizes budgets count", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-compress-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "words.txt"), readFileSync(new URL("compress-files.ts", import.meta.url)));
  const [best] = await compressFiles(folder, readEffort(undefined));
  rmSync(join(folder, "words.txt.br"));
  rmSync(join(folder, "words.txt.gz"));
  rmSync(join(folder, "words.txt.zst"));
  const [fast] = await compressFiles(folder, readEffort("fast"));
  expect(fast?.encoded.br).toBeGreaterThan(best?.encoded.br ?? Number.POSITIVE_INFINITY);
  expect(fast?.encoded.gzip).toBe(best?.encoded.gzip);
  expect(() => readEffort("none")).toThrow('HOLDFAST_COMPRESSION is "none", which is neither best nor fast.');
});
