import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { root } from "../../scripts/root.js";
import { application, inLongRuns, writeFiles } from "../kit/index.ts";
import { buildApp, runHoldfast, startApp } from "../kit/running-app.ts";

const brokenLoad =
  'import { load } from "holdfast/server";\n\nexport const data = load("/orders/[id]", ({ params }): { id: string } => {\n  throw new RangeError("no order " + params.id);\n});\n';
const app = application({
  "src/env.server.ts":
    'import { environment } from "holdfast/server";\n\nexport const env = environment({ SHOP_URL: "url", SHOP_SIZE: "integer" });\n',
  "src/pages/_layout.tsx": "export default ({ children }: { children: never }) => <div>{children}</div>;\n",
  "src/pages/index.tsx": "export default () => <h1>Shop</h1>;\n",
  "src/pages/index.server.ts":
    'import { load } from "holdfast/server";\nimport { env } from "../env.server.ts";\n\nexport const data = load("/", () => ({ size: env.SHOP_SIZE }));\n',
  "src/pages/orders/[id].tsx": "export default () => <h1>Order</h1>;\n",
  "src/pages/orders/[id].server.ts": brokenLoad,
  "src/pages/pay.tsx": "export default () => <h1>Pay</h1>;\n",
  "src/pages/pay.server.ts":
    'import { action } from "holdfast/server";\nexport const actions = { pay: action({}, async ({ input }) => { if ((input as FormData).get("amount") === "7") throw new RangeError("paying failed"); }) };\n',
  // Escape sequences that a terminal would obey: one names its window, one clears it.
  "src/pages/loud.tsx": "export default () => <h1>Loud</h1>;\n",
  "src/pages/loud.server.ts":
    'import { load } from "holdfast/server";\nexport const data = load("/loud", (): never => { throw new Error("loud \\u001b]0;owned\\u0007\\u009b2J"); });\n',
  "src/pages/api/export.server.ts": 'export const GET = () => new Response("x");\n',
});
/** Its reports go to another service, so it has none of its own. */
const elsewhere = application({
  "src/pages/index.tsx": "export default () => <h1>Shop</h1>;\n",
  "holdfast.config.ts":
    'export default { report: { dsn: "http://0123456789abcdef0123456789abcdef@127.0.0.1:9/1" } };\n',
});
const folder = join(root, app);
const env = { SHOP_URL: "https://shop.example", SHOP_SIZE: "20" };
const kept = mkdtempSync(join(tmpdir(), "holdfast-commands-"));
afterAll(() => rmSync(kept, { recursive: true, force: true }));

describe("the command line", () => {
  test("ends quietly when its output is closed, as before `| head`", async () => {
    const child = spawn(process.execPath, [join(root, "bin/holdfast.js"), "--help"]);
    child.stdout.destroy();
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    expect([said, code]).toEqual(["", 0]);
  });

  test("lists the routes and their files, for people and for programs", async () => {
    const { code, log } = await runHoldfast(["routes", folder, "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(log)).toContainEqual({
      id: "/orders/[id]",
      kind: "page",
      params: ["id"],
      page: "src/pages/orders/[id].tsx",
      server: "src/pages/orders/[id].server.ts",
      layouts: ["src/pages/_layout.tsx"],
    });
    expect((await runHoldfast(["routes", folder])).log).toMatch(
      /\/api\/export\s+api\s+src\/pages\/api\/export\.server\.ts/,
    );
  });

  test("refuses to start without a required variable, and names it and its expected value", {
    timeout: 120_000,
  }, async () => {
    await buildApp(app, env);
    for (const command of ["start", ...inLongRuns("dev")]) {
      const { code, log } = await runHoldfast([command, folder, "--port", "0"], { SHOP_SIZE: "many" });
      expect(code).toBe(1);
      expect(log).toContain("SHOP_URL is missing: it must be an address");
      expect(log).toContain("SHOP_SIZE is set, but not right: it must be a whole number such as 20.");
      expect(log.trim().split("\n")).toHaveLength(1);
    }
  });

  test("refuses to start with a wrong variable of its own, whichever part reads it first, and names all of them", {
    timeout: 120_000,
  }, async () => {
    await buildApp(app, env);
    const one = { ...env, HOLDFAST_SCHEDULED_TASKS: "x" };
    for (const command of [["start"], ["start", "--workers", "2"], ["dev"]]) {
      const { code, log } = await runHoldfast([...command, folder, "--port", "0"], one);
      expect([code, log.trim()], command.join(" ")).toEqual([
        1,
        'The number of scheduled tasks "x" is not a whole number above 0. Set HOLDFAST_SCHEDULED_TASKS to how many a project may have, or leave it out. [service-wrong-scheduled-tasks]',
      ]);
    }
    const several = { ...one, HOLDFAST_API_PER_MINUTE: "abc", HOLDFAST_DRAIN_SECONDS: "soon", HOLDFAST_SECRET: "hush" };
    const { code, log } = await runHoldfast(["start", folder, "--port", "0"], several);
    expect(code).toBe(1);
    for (const name of ["SCHEDULED_TASKS", "API_PER_MINUTE", "DRAIN_SECONDS", "SECRET"])
      expect(log).toContain(`HOLDFAST_${name}`);
    expect(log).toContain("Correct them and start again. [wrong-settings]");
    expect(log).not.toMatch(/hush|Pages/);
  });

  test("starts with a wrong variable that its configuration replaces", { timeout: 120_000 }, async () => {
    await using shop = await startApp({ app: elsewhere, env: { HOLDFAST_API_PER_MINUTE: "abc" } });
    expect((await fetch(shop.url)).status).toBe(200);
  });

  test("examines an application and names its problems", async () => {
    const well = await runHoldfast(["doctor", folder, "--data", kept, "--port", "0"], env);
    expect(well.log).toContain("Everything needed is in order.");
    expect(well.code).toBe(0);
    const ill = await runHoldfast(["doctor", folder, "--data", "/dev/null/nowhere", "--json", "--port", "0"], {
      SHOP_SIZE: "20",
    });
    const found: { kind: string; about: string }[] = JSON.parse(ill.log);
    expect(found.filter(({ kind }) => kind === "bad").map(({ about }) => about)).toEqual([
      "Environment",
      "Data folder",
    ]);
    expect(ill.code).toBe(1);
  });

  test("names the variables that would stop the start", async () => {
    const wrong = { HOLDFAST_SECRET: "short", HOLDFAST_DRAIN_SECONDS: "abc", HOLDFAST_MEMORY_MIB: "x" };
    // Declared variables are read by a bundler, and have tests above.
    const small = join(root, application({ "src/pages/index.tsx": "export default () => <h1>Shop</h1>;\n" }));
    const { code, log } = await runHoldfast(["doctor", small, "--data", kept, "--port", "0"], wrong);
    for (const name of Object.keys(wrong)) expect(log).toMatch(new RegExp(`^✗ Environment .*${name}`, "m"));
    expect([code, log]).toEqual([1, expect.stringContaining("\n3 of ")]);
    const ofService = mkdtempSync(join(tmpdir(), "holdfast-doctor-"));
    onTestFinished(() => rmSync(ofService, { recursive: true, force: true }));
    writeFileSync(join(ofService, "projects.json"), "[]");
    const service = await runHoldfast(["doctor", ofService, "--data", ofService], { HOLDFAST_MCP_CALLS: "x" });
    expect(service.log).toMatch(/^✗ Environment .*HOLDFAST_MCP_CALLS/m);
  });

  test("lists the files with hooks", async () => {
    const application = mkdtempSync(join(tmpdir(), "holdfast-hooks-"));
    onTestFinished(() => rmSync(application, { recursive: true, force: true }));
    mkdirSync(join(application, "src/pages"), { recursive: true });
    writeFileSync(join(application, "src/pages/index.tsx"), "export default () => null;");
    writeFileSync(join(application, "src/request.server.ts"), "throw new Error('doctor does not load it');");
    const { log } = await runHoldfast(["doctor", application, "--json", "--port", "0"]);
    const found: { about: string; message: string }[] = JSON.parse(log);
    expect(found.find(({ about }) => about === "Hooks")?.message).toBe("src/request.server.ts");
  });

  test("names each default header that the settings change", async () => {
    const application = mkdtempSync(join(tmpdir(), "holdfast-headers-"));
    onTestFinished(() => rmSync(application, { recursive: true, force: true }));
    const settings = { headers: { "/embed/**": { "X-Frame-Options": false, "X-Own": "1" } } };
    writeFileSync(join(application, "holdfast.config.mjs"), `export default ${JSON.stringify(settings)};`);
    const { log } = await runHoldfast(["doctor", application, "--json", "--port", "0"]);
    const found: { kind: string; about: string; message: string }[] = JSON.parse(log);
    expect(found.filter(({ about }) => about === "Headers")).toEqual([
      { kind: "notice", about: "Headers", message: "/embed/**: X-Frame-Options is removed, by default SAMEORIGIN" },
    ]);
  });

  test("lists the languages, their pages, and those without texts of the framework", async () => {
    const application = mkdtempSync(join(tmpdir(), "holdfast-languages-"));
    onTestFinished(() => rmSync(application, { recursive: true, force: true }));
    const languages = { list: ["en", "de", { lang: "ar", only: ["/"] }], except: ["/blog"] };
    writeFiles(application, {
      "holdfast.config.mjs": `export default ${JSON.stringify({ languages })};`,
      "src/pages/index.tsx": "export default () => <h1>Start</h1>;",
      "src/pages/blog/[post].tsx": "export default () => <h1>Post</h1>;",
    });
    const { log } = await runHoldfast(["doctor", application, "--json", "--port", "0"]);
    const found: { kind: string; about: string; message: string }[] = JSON.parse(log);
    expect(found.filter(({ about }) => about === "Languages").map(({ kind, message }) => [kind, message])).toEqual([
      ["good", "en (default), de (except /blog), ar (right to left; only /)"],
      ["notice", "texts of the framework are English in ar; give them as texts of the language"],
    ]);
  });

  test("says which limits hold, those of routes and actions too, and which cannot", async () => {
    const application = mkdtempSync(join(tmpdir(), "holdfast-limits-"));
    onTestFinished(() => rmSync(application, { recursive: true, force: true }));
    writeFiles(application, {
      "holdfast.config.mjs": "export default { limits: { loadSeconds: 20 } };",
      "src/pages/report.tsx": "export default () => <h1>Report</h1>;",
      "src/pages/report.server.ts": `import { action } from "holdfast/server";
export const timeout = 25;
export const actions = {
  send: action({ uploads: true, uploadBytes: 50 * 1024 * 1024 }, () => 1),
  more: action({ uploads: true, uploadBytes: 2 ** 40 }, () => 1),
};
`,
    });
    const { log } = await runHoldfast(["doctor", application, "--json", "--port", "0"]);
    const found: { kind: string; about: string; message: string }[] = JSON.parse(log);
    expect(found.filter(({ about }) => about === "Limits")).toEqual([
      {
        kind: "good",
        about: "Limits",
        message: expect.stringMatching(
          /^submissions.actionSeconds 60 s, loadSeconds 20 s \(default 10 s\), lateSeconds 30 s, .*uploadBytes 32 MiB, files 20,/,
        ),
      },
      { kind: "good", about: "Limits", message: "/report: timeout 25" },
      { kind: "good", about: "Limits", message: "/report, action send: uploadBytes 52428800" },
      {
        kind: "bad",
        about: "Limits",
        message: expect.stringContaining(
          "/report, action more: uploadBytes must be at most 268435456 bytes, a quarter of limits.uploadsOnDiskBytes",
        ),
      },
    ]);
  });

  test("reproduces an event from its digest, writes a test of it, and reports when it is fixed", {
    timeout: 120_000,
  }, async () => {
    const running = await startApp({ app, env });
    const broken = await fetch(`${running.url}/orders/7?from=list`);
    const digest = broken.headers.get("x-digest") ?? "";
    expect(digest).toMatch(/^[0-9A-Z]{4}-/);
    const paid = await fetch(`${running.url}/pay/_action/pay`, {
      method: "POST",
      headers: { origin: running.url },
      body: new URLSearchParams({ amount: "7" }),
    });
    const payDigest = paid.headers.get("x-digest") ?? "";
    const loud = (await fetch(`${running.url}/loud`)).headers.get("x-digest") ?? "";
    // The service files accepted events asynchronously, in order of arrival.
    const find = async (): Promise<number | null> =>
      (await runHoldfast(["event", loud, "--data", running.dataFolder])).code;
    await expect.poll(find).toBe(0);
    for (const command of [["event", loud], ["event", loud, "--json"], ["issues"], ["issues", "--json"]]) {
      const { code, log } = await runHoldfast([...command, "--data", running.dataFolder]);
      expect([code, log]).toEqual([0, expect.stringContaining("loud \\u001b]0;owned\\u0007\\u009b2J")]);
      expect(log).not.toMatch(/(?!\n)\p{Cc}/u);
    }
    cpSync(running.dataFolder, kept, { recursive: true, filter: (file) => !file.endsWith(".sock") });
    await running.stop();

    // The posted form is not in the event, so an action is only tried with data that its author passes.
    const withoutForm = await runHoldfast(["reproduce", payDigest, folder, "--data", kept], env);
    expect(withoutForm.log).toContain("POST /pay/_action/pay");
    expect(withoutForm.log).toContain("Cannot tell: answered 303, and an event never contains what was posted");
    expect(withoutForm.code).toBe(3);
    const withForm = await runHoldfast(["reproduce", payDigest, folder, "--data", kept, "--field", "amount=7"], env);
    expect(withForm.log).toContain("Still fails:");
    expect(withForm.code).toBe(1);

    const file = join(kept, "orders.test.ts");
    const again = await runHoldfast(["reproduce", digest, folder, "--data", kept, "--write-test", file], env);
    expect(again.log).toContain("GET /orders/7?from=list");
    expect(again.log).toContain("Still fails:");
    expect(again.log).toContain("src/pages/orders/[id].server.ts:4:9");
    expect(again.code).toBe(1);
    const written = readFileSync(file, "utf8");
    expect(written).toContain('app.request("/orders/7?from=list")');
    expect(written).toContain(digest);

    writeFiles(folder, {
      "src/pages/orders/[id].server.ts": brokenLoad.replace(
        'throw new RangeError("no order " + params.id)',
        "return { id: params.id }",
      ),
    });
    const mended = await runHoldfast(["reproduce", digest, folder, "--data", kept], env);
    writeFiles(folder, { "src/pages/orders/[id].server.ts": brokenLoad });
    expect(mended.log).toContain("Passes now: answered 200.");
    expect(mended.code).toBe(0);
    expect((await runHoldfast(["reproduce", "0000-0000-0000", folder, "--data", kept], env)).log).toContain(
      "[no-such-event]",
    );
  });
});
