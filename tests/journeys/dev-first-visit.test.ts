import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { openSources } from "#build";
import { startDevelopment } from "#host";
import { root } from "../../scripts/root.js";
import { journeyThrough, writeFiles } from "../kit/index.ts";

const folder = join(root, "tests/.tmp/dev-first-visit");

/** A separate package, so that Vite caches prepared dependencies in this folder, which is new. */
const test = journeyThrough(async () => {
  rmSync(folder, { recursive: true, force: true });
  writeFiles(folder, {
    "package.json": '{ "private": true, "type": "module" }',
    "src/pages/_layout.tsx":
      'export default ({ children }: { children: never }) => <div><label>Search<input name="q" /></label>{children}</div>;',
    "src/pages/index.tsx":
      'export default function Home() { return <main><h1>Home</h1><a href="/checked">Checked</a></main>; }',
    // Neither of them prevents the scan of the others.
    "src/pages/half-written.tsx": "export default function Half() { return <main>",
    "src/pages/leaky.tsx": 'import "../server/secret.ts"; import "node:fs"; export default () => <p>leaky</p>;',
    "src/server/secret.ts": "export const secret = 1;",
    "src/pages/checked.tsx":
      'import { z } from "zod";\nexport default function Checked() { return <main><h1>{z.string().parse("Checked")}</h1></main>; }',
  });
  const sources = await openSources({ root: folder, watch: true });
  const dataFolder = join(folder, ".holdfast");
  const host = "127.0.0.1";
  const server = await startDevelopment({ root: folder, sources, port: 0, nextFreePort: false, host, dataFolder });
  return { url: server.url, stop: async () => void (await server.stop()) };
});

test("the first visit of a page with its own package loads no document again", async ({ visit }) => {
  const visitor = await visit("/");
  await visitor.isAlive();
  await visitor.fillIn("Search", "kept");
  await visitor.clickLink("Checked");
  await visitor.sees("Checked");
  // Code that the browser loads while idle needs packages too.
  await visitor.page.waitForLoadState("networkidle");
  expect(await visitor.page.getByLabel("Search").inputValue()).toBe("kept");
  expect(visitor.documentsLoaded).toBe(1);
});
