import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { root } from "../../scripts/root.js";
import { application } from "./application.ts";
import { buildApp, type RunningApp, runHoldfast, startApp } from "./running-app.ts";

const hello = {
  "src/pages/index.tsx": `export default function Hello() { return <h1>Hello</h1>; }`,
  "src/pages/pid.server.ts": `export const GET = () => Response.json(process.pid);`,
  "src/pages/crash.server.ts": `export const GET = () => { setTimeout(() => process.exit(3)); return new Response("soon"); };`,
};

describe("an application", () => {
  test("is built, started on a port of its own, and answers", async () => {
    const app = await started();
    expect(await (await fetch(app.url)).text()).toContain("<h1>Hello</h1>");
    expect(await (await fetch(`${app.url}/pid`)).json()).toBe(app.pid);
    expect(app.log).toContain(app.url);
  });

  test("stops when it is told to, and takes its data folder with it", async () => {
    const app = await started();
    expect(existsSync(app.dataFolder)).toBe(true);
    await app.stop();
    await expect(fetch(app.url)).rejects.toThrow();
    expect(existsSync(app.dataFolder)).toBe(false);
    expect(app.crash).toBeUndefined();
  });

  test("starts again at the same address after a stop and after a power cut", async () => {
    const app = await started();
    const first = app.pid;
    await app.restart();
    const second = app.pid;
    await app.kill();
    await app.start();
    expect(new Set([first, second, app.pid]).size).toBe(3);
    expect(await (await fetch(`${app.url}/pid`)).json()).toBe(app.pid);
    expect(app.crash).toBeUndefined();
  });

  test("an application that ends by itself has crashed", async () => {
    const app = await started();
    await fetch(`${app.url}/crash`);
    await expect.poll(() => app.crash).toBe("The application ended by itself (3).");
  });

  test("is built once as long as nothing changes", async () => {
    const folder = application(hello);
    await buildApp(folder);
    const built = statSync(join(root, folder, "dist")).ctimeMs;
    await buildApp(folder);
    expect(statSync(join(root, folder, "dist")).ctimeMs).toBe(built);
    expect(application(hello)).toBe(folder);
    expect(application({ ...hello, "src/pages/more.tsx": "" })).not.toBe(folder);
  });

  test("an application that cannot be built fails with the build's own words", async () => {
    const folder = application({ "src/pages/_what.tsx": "export default () => null;" });
    await expect(startApp({ app: folder })).rejects.toThrow("_what");
  });
});

test("the command line can be listened to", async () => {
  const { code, log } = await runHoldfast(["fly"]);
  expect(code).toBe(2);
  expect(log).toContain(`There is no command "fly".`);
  const misused = await runHoldfast(["routes", "--fast"]);
  expect(misused.log).toBe(
    "Unknown option '--fast'. Use it as: holdfast routes [FOLDER] [--at PATH] [--json]. [command-misused]\n",
  );
  expect(misused.code).toBe(1);
});

async function started(): Promise<RunningApp> {
  const app = await startApp({ app: application(hello) });
  onTestFinished(() => app.stop());
  expect(existsSync(join(root, "dist"))).toBe(true);
  return app;
}
