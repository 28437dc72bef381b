import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { root } from "../../scripts/root.js";
import { application, buildApp, journeyThrough, startApp, writeFiles } from "../kit/index.ts";
import { lastFullLoad } from "./walk.ts";

const folder = application({
  "src/pages/index.tsx": `import { Link } from "holdfast";
export default () => <main><h1>Home</h1><Link to="/orders">Orders</Link></main>;`,
  // Its data is on screen in every build, and is not mixed with the page of another one.
  "src/pages/_layout.tsx": `import type { ReactNode } from "react";
export default ({ data, children }: LayoutProps<"/"> & { children: ReactNode }) => <><p>{data.text}</p>{children}</>;`,
  ...filesOf(1),
});

const test = journeyThrough(async () => {
  rmSync(join(root, folder, "dist"), { recursive: true, force: true });
  await build(1);
  return startApp({ app: folder });
});

function filesOf(version: number): Record<string, string> {
  return {
    "src/pages/orders.tsx": `export default () => <main><h1>Orders of build ${version}</h1></main>;`,
    "src/pages/_layout.server.ts": `import { load } from "holdfast/server";
export const data = load("/", { tags: ["frame"] }, () => ({ text: "Frame of build ${version}" }));`,
  };
}

async function build(version: number): Promise<void> {
  writeFiles(join(root, folder), filesOf(version));
  await buildApp(folder);
}

test("a tab that stays open through deployments finds its files for three builds, and always gets the clicked page", {
  timeout: 180_000,
}, async ({ app, visit, proxy }) => {
  const [early, late] = [await visit("/"), await visit("/")];
  const missing = () => proxy.requestsFor(/_assets/).filter(({ status }) => status === 404);
  for (const version of [2, 3]) await build(version);
  // The server of the first build has not served this page before: its chunk is loaded only now.
  expect(await (await fetch(`${app.url}/orders`)).text()).toContain("Orders of build 1");
  await app.restart();
  await early.clickLink("Orders");
  await early.sees("Orders of build 3");
  await early.page.getByText("Frame of build 3").waitFor();
  expect(await lastFullLoad(early)).toBe("build-mismatch");
  expect([early.documentsLoaded, missing()]).toEqual([2, []]);

  await build(4);
  await app.restart();
  late.expecting(/404|Failed to fetch|MIME/);
  await late.clickLink("Orders");
  await late.sees("Orders of build 4");
  expect(late.documentsLoaded).toBe(2);
  expect(missing().length).toBeGreaterThan(0);
});
