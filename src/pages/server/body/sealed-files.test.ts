import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { SealedFiles } from "./sealed-files.ts";

const text = Array.from({ length: 20_000 }, (_, number) => `line ${number}\n`).join("");
const whole = Buffer.from(text);

async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer, void> {
  for (let at = 0; at < bytes.length; at += 7_001) yield bytes.subarray(at, at + 7_001);
}

async function sealed() {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-sealed-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const at = path.join(folder, "sealed");
  return { files: await SealedFiles.create(at), at };
}

test("a sealed file reads like any other file, whichever way code of the platform takes it", async () => {
  const { files, at } = await sealed();
  const named = { name: "lines.txt", type: "text/plain" };
  const [, file] = await Promise.all([
    files.add(inPieces(Buffer.from("first")), { name: "first", type: "" }),
    files.add(inPieces(whole), named),
    files.add(inPieces(Buffer.from("")), { name: "empty", type: "" }),
  ]);
  const plain = new File([whole], named.name, { type: named.type });
  expect(readFileSync(at).includes("line")).toBe(false);
  const facts = (one: File) => [one instanceof File, one.name, one.type, one.size, String(one)];
  expect(facts(file)).toEqual(facts(plain));
  const taken: Record<string, (one: File) => unknown> = {
    text: (one) => one.text(),
    bytes: async (one) => Buffer.from(await one.bytes()).toString(),
    arrayBuffer: async (one) => Buffer.from(await one.arrayBuffer()).toString(),
    stream: (one) => new Response(one.stream()).text(),
    "body of a request": (one) => new Response(one).text(),
    "part of a form": async (one) => {
      const form = new FormData();
      form.append("file", one, "other.txt");
      return ((await new Response(form).formData()).get("file") as File).text();
    },
    "part of a blob": (one) => new Blob(["<", one, ">"]).slice(1, -1).text(),
    clone: (one) => structuredClone(one).text(),
  };
  for (const [how, take] of Object.entries(taken)) expect([how, (await take(file)) === text]).toEqual([how, true]);
  for (const range of [[], [5], [15, 17], [16, 100_000], [-30], [-30, -3], [10, 5], [0, 1e9]]) {
    const [one, other] = [file.slice(...range), plain.slice(...range)];
    expect([range, one.size, await one.text()]).toEqual([range, other.size, await other.text()]);
    expect(await one.slice(3, 9).text()).toBe(await other.slice(3, 9).text());
  }
  const reader = file.stream().getReader({ mode: "byob" });
  const { value } = await reader.read(new Uint8Array(100));
  expect(Buffer.from(value ?? []).toString()).toBe(text.slice(0, 100));
  await reader.cancel();
  await files.close();
  await expect(file.text()).rejects.toMatchObject({ name: "NotReadableError" });
  await expect(new Response(file.stream()).text()).rejects.toThrow();
});
