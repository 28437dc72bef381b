import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { root } from "../../scripts/root.js";
import { application, type RunningApp, startApp } from "../kit/index.ts";
import { startPostgres, type TestPostgres } from "../kit/postgres.ts";

let postgres: TestPostgres;
const machines: RunningApp[] = [];
const folders = ["first", "second"].map((text) =>
  application({ "src/pages/index.tsx": `export default function Page() {\n  return <h1>${text}</h1>;\n}\n` }),
);

beforeAll(async () => {
  postgres = await startPostgres();
  const env = {
    HOLDFAST_STORE: await postgres.newDatabase(),
    HOLDFAST_SECRET: "the same on both machines, long enough",
  };
  for (const app of folders) machines.push(await startApp({ app, env }));
});

afterAll(async () => {
  for (const machine of machines) await machine.stop();
  await postgres[Symbol.asyncDispose]();
});

it("each of two machines with different builds sends the files of both, as the other sends them", async () => {
  const all = folders.map((folder) => filesOf(folder));
  const differing = all.flat().filter((path) => all.some((paths) => !paths.includes(path)));
  expect(differing.length).toBeGreaterThanOrEqual(2);
  for (const path of differing) {
    const [one, other] = await Promise.all(machines.map(({ url }) => read(url + path)));
    expect(one).toEqual(other);
    expect(one).toMatchObject({ status: 200, cache: "public, max-age=31536000, immutable" });
  }
});

it("both answer 404 for a file that no build has", async () => {
  for (const { url } of machines) expect(await read(`${url}/_assets/entry-00000000.js`)).toMatchObject({ status: 404 });
});

function filesOf(folder: string): string[] {
  const manifest: { files: { path: string; immutable: boolean }[] } = JSON.parse(
    readFileSync(join(root, folder, "dist/manifest.json"), "utf8"),
  );
  return manifest.files.filter(({ immutable }) => immutable).map(({ path }) => path);
}

async function read(url: string) {
  const response = await fetch(url);
  const text = await response.text();
  const { headers, status } = response;
  return { status, text, cache: headers.get("cache-control"), encoding: headers.get("content-encoding") };
}
