import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { root } from "../../scripts/root.js";
import { authorsEnvironment } from "../kit/authors-environment.ts";
import { freePort } from "../kit/free-ports.ts";
import { buildApp, journeyThrough, type Visited, withoutJavaScript } from "../kit/index.ts";
import { mountedApplication } from "../kit/mounted-application.ts";

interface OldServer extends Visited {
  /** What it has written to stderr. */
  warnings(): string;
  /** How it ended, when it was asked to. */
  ended(): Promise<unknown>;
}

/** Starts the server of an old application, which mounts the new one by the built package. */
async function startOldServer(): Promise<OldServer> {
  const folder = mountedApplication();
  await buildApp(folder);
  const port = await freePort();
  const dataFolder = mkdtempSync(join(tmpdir(), "holdfast-data-"));
  const child = spawn(process.execPath, ["server.js"], {
    cwd: join(root, folder),
    env: { ...authorsEnvironment(), PORT: String(port), HOLDFAST_DATA: dataFolder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  let warnings = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    warnings += text;
  });
  await once(child.stdout, "data");
  const ended = async (): Promise<unknown> => {
    child.kill("SIGTERM");
    return (await exited)[0];
  };
  return {
    url: `http://127.0.0.1:${port}`,
    warnings: () => warnings,
    ended,
    stop: async () => {
      await ended();
      rmSync(dataFolder, { recursive: true, force: true });
    },
  };
}

const test = journeyThrough(startOldServer);

describe("an application inside of an Express server", () => {
  test("navigates softly inside, and with full loads from and to the old pages", async ({ visit }) => {
    const visitor = await visit("/");
    await visitor.sees("Old orders");
    await visitor.clickLink("Order 7, new");
    await visitor.sees("Order 7");
    await visitor.isAwake();
    await visitor.clickLink("Home");
    await visitor.sees("New home");
    expect([visitor.address, visitor.documentsLoaded]).toEqual(["/app", 2]);
    await visitor.clickLink("Old orders");
    await visitor.sees("Old orders");
    expect([visitor.address, visitor.documentsLoaded]).toEqual(["/old/orders", 3]);
    await visitor.page.goBack();
    await visitor.sees("New home");
  });

  for (const [how, options] of [
    ["with scripts", {}],
    ["without scripts", withoutJavaScript],
  ] as const) {
    test(`takes a form ${how}`, async ({ visit }) => {
      const visitor = await visit("/app", options);
      if (how === "with scripts") await visitor.isAlive();
      await visitor.fillIn("Word", how);
      await visitor.pressButton("Say");
      await expect.poll(() => visitor.page.locator("#said").textContent()).toBe(how);
    });
  }

  test("shows a digest for an error, which the console of the same server finds, and so for errors of the old pages", async ({
    visit,
    app: { url, warnings },
  }) => {
    const visitor = (await visit("/app")).expecting(/500/);
    await visitor.isAwake();
    await visitor.clickLink("Broken");
    await expect.poll(() => visitor.digestShown()).toBeDefined();
    const shown = await visitor.digestShown();
    await expect.poll(warnings).toContain(`"digest":"${shown}","error":"Error: The stock cannot be read."`);
    expect(warnings().trimEnd().split("\n")).toHaveLength(1);
    const old = (await (await fetch(`${url}/old/broken`)).text()).replace("Digest: ", "");
    const link = await (await fetch(`${url}/console-link`)).text();
    await visitor.goTo(new URL(link).pathname + new URL(link).search);
    await visitor.page.getByLabel("E-mail address").fill("ada@example.org");
    await visitor.page.getByLabel("Password").fill("several words to remember");
    await visitor.pressButton("Begin");
    await visitor.page.locator("main.overview").waitFor();
    for (const [digest, title] of [
      [shown, "The stock cannot be read."],
      [old, "An error of the old pages."],
    ] as const) {
      await visitor.goTo(`/_holdfast/d/${digest}`);
      await visitor.sees(new RegExp(title));
    }
  });

  test("ends when it is asked to", async ({ app }) => {
    expect(await app.ended()).toBe(0);
  });
});
