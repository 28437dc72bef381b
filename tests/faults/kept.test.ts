import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test as plain } from "vitest";
import { root } from "../../scripts/root.js";
import { application, type RunningApp, runHoldfast, startApp } from "../kit/index.ts";

/** Each order is a line in a file of the data folder. `how` says what the handler does: throw, hang, or nothing. */
const folder = application({
  "package.json": '{ "type": "module", "private": true }',
  "src/pages/index.tsx": "export default function Home() { return <h1>Shop</h1>; }",
  "src/pages/index.server.ts": `
    import { appendFileSync, readFileSync } from "node:fs";
    import { join } from "node:path";
    import { setTimeout as wait } from "node:timers/promises";
    import { action } from "holdfast/server";

    const data = process.env.HOLDFAST_DATA ?? "";
    const note = (text: string) => appendFileSync(join(data, "orders"), text + "\\n");
    const how = () => { try { return readFileSync(join(data, "how"), "utf8"); } catch { return ""; } };

    export const actions = {
      order: action({
        keeps: { onRecovered: ({ digest }) => note("told " + digest) },
      }, async ({ input, key, visit }) => {
        const item = input instanceof FormData ? input.get("item") : undefined;
        note("begun " + item);
        if (how() === "hang") await wait(600_000);
        if (how() === "throw") throw new Error("The stock is unknown.");
        note("ordered " + item + " " + (visit ? "at once" : "later") + " " + key);
      }),
      apply: action({ keeps: true, uploads: true }, async ({ input }) => {
        const file = input instanceof FormData ? input.get("file") : undefined;
        note("read " + (file instanceof File ? (await file.text()).length : 0) + " " + process.pid);
        if (how() === "hang") await wait(600_000);
      }),
    };
  `,
});

// biome-ignore lint/correctness/noEmptyPattern: Vitest reads from it that nothing else is needed first.
const test = plain.extend("app", async ({}, { onCleanup }) => {
  const app = await startApp({ app: folder });
  onCleanup(() => app.stop());
  return app;
});

const linesOf = (app: RunningApp): string[] =>
  existsSync(join(app.dataFolder, "orders"))
    ? readFileSync(join(app.dataFolder, "orders"), "utf8").trim().split("\n")
    : [];

const handlersDo = (app: RunningApp, how: "throw" | "hang" | ""): void =>
  writeFileSync(join(app.dataFolder, "how"), how);

async function order(app: RunningApp, item: string): Promise<string> {
  const body = new URLSearchParams({
    _form: "order 1",
    _key: `key-of-the-order-${item}`,
    item,
    card: "4111111111111111",
  });
  const answer = await fetch(`${app.url}/_action/order/_data`, { method: "POST", body });
  return answer.text();
}

const kept = (app: RunningApp, ...args: string[]) =>
  runHoldfast(["kept", ...args, "--app", join(root, folder), "--data", app.dataFolder], {
    HOLDFAST_DATA: app.dataFolder,
  });

test.concurrent("what was sent to a failing action is run again from the command line, exactly once, while the server runs", {
  timeout: 120_000,
}, async ({ app, expect }) => {
  handlersDo(app, "throw");
  const said = await order(app, "lamp");
  const [, digest = ""] = /We have kept what you sent, under ([\w-]+)\./.exec(said) ?? [];
  expect(digest).toMatch(/^\w{4}-\w{4}-\w{4}$/);
  expect((await kept(app, "list")).log).toMatch(new RegExp(`^${digest}  .*  failed  / order  \\d+ bytes\n$`));
  const { log: shown } = await kept(app, "show", digest.toLowerCase());
  expect(shown).toContain("item: lamp");
  expect(shown).toContain("card: [left-out]");
  expect((await kept(app, "run", digest, "--dry-run")).log).toContain("would run / order");
  const failing = await kept(app, "run", digest);
  expect([failing.code, failing.log]).toEqual([1, expect.stringContaining("failed again: The stock is unknown.")]);
  handlersDo(app, "");
  const both = await Promise.all([kept(app, "run", digest), kept(app, "run", "--all")]);
  expect(both.filter(({ log }) => log.includes("  done\n")).length).toBe(1);
  expect(linesOf(app)).toEqual([
    "begun lamp",
    "begun lamp",
    "begun lamp",
    expect.stringMatching(/^ordered lamp later \S{22}$/),
    `told ${digest}`,
  ]);
  const event = await runHoldfast(["event", digest, "--data", app.dataFolder]);
  expect(event.log, "links lead to the server, not to the command").toContain(`${app.url}/_holdfast/1/issues/`);
  expect((await kept(app, "list")).log).toBe("Nothing is kept.\n");
  expect((await kept(app, "list", "--all")).log).toContain("done, run again 2 times  / order");
  expect(await order(app, "lamp"), "the same once more").toContain('"kind":"done"');
  const codeless = await kept(app, "run");
  expect([codeless.code, codeless.log]).toEqual([
    1,
    expect.stringContaining("Call `holdfast kept run 7K2M-9QXD-4TBA`"),
  ]);
  expect((await fetch(`${app.url}/healthz`)).status).toBe(200);
});

test.concurrent("what was sent to a process that is killed in the action is found after the restart, and run or forgotten", {
  timeout: 120_000,
}, async ({ app, expect }) => {
  handlersDo(app, "hang");
  const lost = [order(app, "chair"), order(app, "table")].map((one) => one.catch(() => "lost"));
  await expect.poll(() => linesOf(app).length).toBe(2);
  await app.kill();
  expect(await Promise.all(lost)).toEqual(["lost", "lost"]);
  handlersDo(app, "");
  // As after half a minute: no process says any more that it is alive.
  const files = readdirSync(join(app.dataFolder, "kept")).filter((name) => name.endsWith(".kept"));
  for (const name of files) utimesSync(join(app.dataFolder, "kept", name), 1, 1);
  await app.start();
  await expect.poll(async () => (await kept(app, "list")).log.split("may have been done").length).toBe(3);
  const rows = (await kept(app, "list")).log.trim().split("\n");
  const digests = rows.map((row) => row.slice(0, 14));
  expect((await kept(app, "run", digests[0] ?? "")).code).toBe(1);
  expect(linesOf(app).length).toBe(2);
  expect((await kept(app, "run", digests[0] ?? "", "--even-if-done")).log).toContain("done");
  expect((await kept(app, "forget", digests[1] ?? "")).log).toContain("forgotten");
  const ordered = linesOf(app).filter((line) => line.startsWith("ordered"));
  expect(ordered.length).toBe(1);
  const left = readdirSync(join(app.dataFolder, "kept")).filter((name) => name.endsWith(".kept"));
  expect([left, (await kept(app, "list")).log]).toEqual([[], "Nothing is kept.\n"]);
  const event = await runHoldfast(["event", digests[0] ?? "", "--data", app.dataFolder]);
  expect(event.log).toContain("action-died");
});

test.concurrent("the files of a killed action cannot be read on disk at any moment, and are removed while the others serve", {
  timeout: 120_000,
}, async ({ expect, onTestFinished }) => {
  // Elsewhere, so that the data folder holds nothing that opens them.
  const env = { HOLDFAST_SECRET: "a secret that is not in the data folder" };
  const app = await startApp({ app: folder, args: ["--workers", "2"], env });
  onTestFinished(() => app.stop());
  handlersDo(app, "hang");
  const secret = "readable words of a visitor, ";
  const body = new FormData();
  body.set("_form", "apply 1");
  body.set("_key", "key-of-the-application");
  body.set("file", new File([secret.repeat(10_000)], "life.txt"));
  const lost = fetch(`${app.url}/_action/apply/_data`, { method: "POST", body }).catch(() => "lost");
  await expect.poll(() => linesOf(app)).toEqual([expect.stringMatching(`^read ${secret.length * 10_000} \\d+$`)]);
  const pid = Number(linesOf(app)[0]?.split(" ").at(-1));
  const readable = (): string[] => filesOf(app.dataFolder).filter((file) => readFileSync(file).includes(secret));
  const uploads = (): string[] => readdirSync(join(app.dataFolder, "uploads"));
  expect([uploads(), readable()]).toEqual([[expect.stringMatching(`^upload-${pid}-`)], []]);
  process.kill(pid, "SIGKILL");
  await lost;
  expect(readable()).toEqual([]);
  await expect.poll(uploads).toEqual([]);
  expect((await fetch(`${app.url}/healthz`)).status).toBe(200);
  const copies = filesOf(join(app.dataFolder, "kept")).filter((file) => file.endsWith(".kept"));
  expect(copies.map((file) => statSync(file).size > secret.length * 10_000)).toEqual([true]);
});

/** Files may be removed while they are listed. */
function filesOf(folderPath: string): string[] {
  const found = readdirSync(folderPath, { recursive: true, withFileTypes: true });
  return found.filter((one) => one.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}
