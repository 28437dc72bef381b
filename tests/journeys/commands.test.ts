import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, test } from "vitest";
import { root } from "../../scripts/root.js";
import { application, writeFiles } from "../kit/index.ts";
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
    for (const command of ["start", "dev"]) {
      const { code, log } = await runHoldfast([command, folder, "--port", "0"], { SHOP_SIZE: "many" });
      expect(code).toBe(1);
      expect(log).toContain("SHOP_URL is missing: it must be an address");
      expect(log).toContain("SHOP_SIZE is set, but not right: it must be a whole number such as 20.");
      expect(log.trim().split("\n")).toHaveLength(1);
    }
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
    expect(withoutForm.log).toContain("Cannot tell: answered 303, and what was posted is never kept");
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
