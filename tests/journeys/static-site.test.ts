import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, type Server, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../../scripts/root.js";
import { application, openBrowser, runHoldfast } from "../kit/index.ts";

const types: Record<string, string> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
};

/** As plain as file servers are: files, `index.html` of folders, a redirect to the slash of a folder, `404.html`. */
function fileServer(folder: string, below: string): Server {
  return createServer(({ url = "/" }, response) => {
    const path = decodeURIComponent(new URL(url, "http://localhost").pathname);
    const send = (status: number, file: string): void =>
      void response.writeHead(status, { "content-type": types[extname(file)] ?? "" }).end(readFileSync(file));
    const file = join(folder, path.slice(below.length));
    const found = `${path}/`.startsWith(`${below}/`) ? statSync(file, { throwIfNoEntry: false }) : undefined;
    if (found?.isFile()) return send(200, file);
    if (!found || !statSync(join(file, "index.html"), { throwIfNoEntry: false }))
      return send(404, join(folder, "404.html"));
    if (path.endsWith("/")) return send(200, join(file, "index.html"));
    response.writeHead(301, { location: `${path}/` }).end();
  });
}

const page = (heading: string, more = ""): string =>
  `import { Link } from "holdfast";\nexport default () => <main><h1>${heading}</h1>${more} <Link to="/">Home</Link></main>;\n`;

const files = {
  "src/pages/index.tsx": page(
    "Home",
    `<Link to="/guides/[name]" params={{ name: "first one" }}>First</Link> <Link to="/guides/[name]" params={{ name: "none" }}>None</Link> <Link to="/broken">Broken</Link>`,
  ),
  "src/pages/index.server.ts": "export const prerender = true;\n",
  "src/pages/guides/[name].tsx":
    'export default ({ data }: PageProps<"/guides/[name]">) => <main><h1>{data.title}</h1></main>;\n',
  "src/pages/guides/[name].server.ts": `import { load } from "holdfast/server";
export const prerender = [{ name: "first one" }];
export const data = load("/guides/[name]", ({ params }) => ({ title: \`Guide \${params.name}\` }));
`,
  "src/pages/broken.tsx": `export default function Broken() {
  if (typeof window !== "undefined") throw new Error("no window wanted");
  return <h1>Broken</h1>;
}
`,
  "src/pages/broken.server.ts": "export const prerender = true;\n",
  "src/pages/early.tsx": `import { useEffect } from "react";
export default function Early() {
  useEffect(() => {
    setTimeout(() => {
      throw new RangeError("thrown and left");
    });
    void Promise.reject(new TypeError("refused and left"));
  }, []);
  return <h1>Early</h1>;
}
`,
  "src/pages/early.server.ts": "export const prerender = true;\n",
  "src/pages/secrets.tsx": `import { addStep, setUser } from "holdfast/report";
import { useEffect } from "react";
export default function Secrets() {
  useEffect(() => {
    addStep("wrote to ada@example.org", { apiKey: "hunter2", maidenName: "hunter2" });
    setUser({ id: "7", password: "hunter2" });
    void fetch("/reset?token=hunter2");
    void Promise.reject(new TypeError("no account for maidenName=hunter2, ada@example.org, password=hunter2"));
  }, []);
  return <h1>Secrets</h1>;
}
`,
  "src/pages/secrets.server.ts": "export const prerender = true;\n",
  "src/pages/_error.tsx": "export default () => <h1>Something broke</h1>;\n",
};

/** A service on another origin, and where reports for its first project go. */
async function startService(data: string): Promise<{ service: ChildProcess; dsn: string }> {
  const service = spawn(process.execPath, [join(root, "bin/holdfast.js"), "service", "--port", "0", "--data", data]);
  let said = "";
  service.stdout?.on("data", (piece) => {
    said += piece;
  });
  while (!said.includes("Console:")) await once(service.stdout ?? service, "data");
  return { service, dsn: /http:\/\/\w{32}@\S+/.exec(said)?.[0] ?? "" };
}

/** What arrives at the service, with secrets that it would remove itself before it keeps them. */
const arrived: string[] = [];

function recorder(target: string): Server {
  return createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if (request.url?.includes("/envelope/")) arrived.push(body.toString());
    const { method, headers } = request;
    const onward = send(target + request.url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy()).end(body);
  });
}

let browser: Browser;
let service: ChildProcess;
const data = mkdtempSync(join(tmpdir(), "holdfast-static-"));
let server: Server;
let relay: Server;
let address = "";

beforeAll(async () => {
  const config = "export default { report: { dsn: process.env.TEST_DSN, scrub: [/^maiden/i] } };\n";
  const folder = join(root, application({ ...files, "holdfast.config.ts": config }));
  const started = await startService(data);
  service = started.service;
  const token = /\b[0-9a-f]{64}\b/.exec((await runHoldfast(["token", "maps", "--data", data])).log)?.[0] ?? "";
  const { host } = new URL(started.dsn);
  relay = recorder(`http://${host}`).listen(0, "127.0.0.1");
  await new Promise((resolve) => relay.once("listening", resolve));
  const dsn = started.dsn.replace(host, `127.0.0.1:${(relay.address() as AddressInfo).port}`);
  const env = { TEST_DSN: dsn, HOLDFAST_UPLOAD_TOKEN: token };
  const { code, log } = await runHoldfast(["build", folder, "--static", "--at", "/docs"], env);
  expect(code, log).toBe(0);
  browser = await openBrowser();
  server = fileServer(join(folder, "dist/site"), "/docs").listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/docs`;
}, 120_000);

afterAll(async () => {
  relay?.close();
  relay?.closeAllConnections();
  server?.close();
  server?.closeAllConnections();
  await browser?.close();
  service?.kill("SIGTERM");
  if (service) await once(service, "exit");
  rmSync(data, { recursive: true, force: true });
});

test("a folder of files below a path has links, prefetches, Back, reloads and error pages", async () => {
  const tab = await browser.newPage();
  const documents: string[] = [];
  const data: string[] = [];
  tab.on("request", (request) => {
    if (request.isNavigationRequest()) documents.push(new URL(request.url()).pathname);
    if (request.url().endsWith("/_data.json")) data.push(new URL(request.url()).pathname);
  });
  await tab.goto(`${address}/`);
  await tab.waitForFunction(() => document.documentElement.dataset.holdfast === "alive");
  await tab.hover("text=First");
  await expect.poll(() => data).toContain("/docs/guides/first%20one/_data.json");
  await tab.click("text=First");
  await tab.waitForSelector("text=Guide first one");
  expect(documents).toEqual(["/docs/"]);
  expect(new URL(tab.url()).pathname).toBe("/docs/guides/first%20one/");
  await tab.goBack();
  await tab.waitForSelector("h1:has-text('Home')");
  expect(documents).toEqual(["/docs/"]);
  await tab.goForward();
  await tab.reload();
  await tab.waitForSelector("text=Guide first one");
  await tab.goto(`${address}/`);
  await tab.waitForFunction(() => document.documentElement.dataset.holdfast === "alive");
  await tab.click("text=Broken");
  await tab.waitForSelector("text=Something broke");
  await tab.goto(`${address}/`);
  await tab.click("text=None");
  await tab.waitForSelector("text=Page not found");
  await tab.close();
}, 60_000);

test("code that did not arrive is requested again, also where the policy allows scripts by their hashes", async () => {
  const tab = await browser.newPage();
  let requests = 0;
  await tab.route(/entry-/, (route) => {
    requests += 1;
    return requests === 1 ? route.abort("connectionreset") : route.continue();
  });
  await tab.goto(`${address}/`);
  await tab.waitForFunction(() => document.documentElement.dataset.holdfast === "alive");
  expect(requests).toBeGreaterThan(1);
  await tab.close();
}, 60_000);

test("a folder of files reports the errors of browsers to the service of `report.dsn`, with their source", async () => {
  const tab = await browser.newPage();
  await tab.goto(`${address}/broken/`);
  await tab.waitForSelector("text=Something broke");
  const found = async (): Promise<string> => (await runHoldfast(["issues", "--json", "--data", data])).log;
  await expect.poll(found, { timeout: 60_000, interval: 500 }).toContain("no window wanted");
  expect(await found()).toContain("src/pages/broken.tsx");
  await tab.close();
}, 90_000);

const issuesNow = async (): Promise<string> => (await runHoldfast(["issues", "--json", "--data", data])).log;

test("an error of a folder of files arrives although its visitor leaves before the reporter is there, with its source", async () => {
  const context = await browser.newContext();
  await context.route(/later-/, (route) => route.abort());
  const tab = await context.newPage();
  for (const [path, count] of [
    ["early", 2],
    ["broken", 1],
  ] as const) {
    await tab.goto(`${address}/${path}/`);
    await tab.waitForFunction((many) => Reflect.get(window, "__holdfast_early").list.length === many, count);
    // Sent by beacons alone: nothing of this context is stored when it is closed.
    await tab.goto("about:blank");
  }
  await context.close();
  for (const title of ["thrown and left", "refused and left"])
    await expect.poll(issuesNow, { timeout: 60_000, interval: 500 }).toContain(title);
  const issues = await issuesNow();
  expect(issues).toContain("src/pages/early.tsx");
  expect(issues).toContain("RangeError");
}, 90_000);

test("an error of a folder of files waits in the browser if its beacon is blocked, and arrives once", async () => {
  const context = await browser.newContext();
  await context.route(/later-/, (route) => route.abort());
  const tab = await context.newPage();
  await tab.goto(`${address}/early/`);
  await tab.waitForFunction(() => Reflect.get(window, "__holdfast_early").list.length === 2);
  await tab.evaluate(() => {
    // As ad blockers do.
    navigator.sendBeacon = () => false;
    for (const early of Reflect.get(window, "__holdfast_early").list)
      early.thrown = new Error(`kept: ${early.thrown.message}`);
  });
  await tab.goto("about:blank");
  await context.unroute(/later-/);
  expect(await issuesNow()).not.toContain("kept: ");
  await tab.goto(`${address}/`);
  await expect.poll(issuesNow, { timeout: 60_000, interval: 500 }).toContain("kept: thrown and left");
  await expect.poll(issuesNow, { timeout: 60_000, interval: 500 }).toContain("kept: refused and left");
  const kept = (JSON.parse(await issuesNow()) as { title: string; events: number }[]).filter(({ title }) =>
    title.startsWith("kept: "),
  );
  expect(kept.map(({ events }) => events)).toEqual([1, 1]);
  await context.close();
}, 120_000);

test("what browsers of a folder of files send has no secrets, before and after the code for reports is there", async () => {
  for (const isBlocked of [true, false]) {
    arrived.length = 0;
    const context = await browser.newContext();
    if (isBlocked) await context.route(/later-/, (route) => route.abort());
    const tab = await context.newPage();
    await tab.goto(`${address}/secrets/?email=ada@example.org&token=hunter2`);
    const count = (): number => arrived.filter((text) => text.includes("no account for")).length;
    if (isBlocked) await tab.waitForFunction(() => Reflect.get(window, "__holdfast_early").list.length === 1);
    else await expect.poll(count).toBe(1);
    await tab.goto("about:blank");
    await expect.poll(count).toBeGreaterThan(0);
    const all = arrived.join("\n");
    // The first script of the document removes the rest of a text in which it finds something.
    const rest = isBlocked ? '"' : ", [left-out], password=[left-out]";
    expect(all).toContain(`no account for maidenName=[left-out]${rest}`);
    expect(all).not.toContain("hunter2");
    expect(all).not.toContain("ada@example.org");
    if (!isBlocked) expect(all).toContain('"id":"7"');
    // What the page before could not clean with all its rules is cleaned when it is sent again.
    await context.unroute(/later-/);
    await tab.goto(`${address}/`);
    if (isBlocked) await expect.poll(count).toBeGreaterThan(1);
    expect(arrived.join("\n")).not.toContain("hunter2");
    await context.close();
  }
}, 90_000);

test("a folder of files works without JavaScript, under a policy, and has a page for what it does not have", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const tab = await context.newPage();
  await tab.goto(`${address}/guides/first%20one`);
  expect(new URL(tab.url()).pathname).toBe("/docs/guides/first%20one/");
  expect(await tab.textContent("h1")).toBe("Guide first one");
  expect(await tab.getAttribute("meta[http-equiv]", "content")).toMatch(/^script-src 'sha256-/);
  const response = await tab.goto(`${address}/nowhere/at/all`);
  expect(response?.status()).toBe(404);
  await tab.click("nav a");
  expect(await tab.textContent("h1")).toBe("Home");
  await context.close();
}, 60_000);

test("a folder of files is refused with one list of everything that needs a server", async () => {
  const folder = application({
    ...files,
    "holdfast.config.ts": `export default {
  redirects: [{ from: "/old", to: "/" }],
  report: { dsn: "https://${"0".repeat(32)}@errors.example/1", scrub: [/nick/v] },
};
`,
    "src/pages/broken.server.ts":
      'import { action } from "holdfast/server";\nexport const actions = { send: action({}, () => 1) };\n',
    "src/pages/admin/_layout.server.ts": "export const guard = () => undefined;\n",
    "src/pages/admin/index.tsx": page("Admin"),
    "src/pages/admin/index.server.ts": "export const prerender = true;\n",
    "src/pages/api/names.server.ts": 'export const GET = (): Response => new Response("Ada");\n',
    "src/request.server.ts": 'import { onRequest } from "holdfast/server";\nexport default onRequest(() => ({}));\n',
  });
  const { code, log } = await runHoldfast(["build", folder, "--static"]);
  expect(code).toBe(1);
  for (const problem of [
    "admin/index.server.ts: its layout admin/_layout.server.ts has a guard",
    "broken.server.ts: the page does not declare `prerender`.",
    "broken.server.ts: the page has actions, its own or of a layout: send.",
    "api/names.server.ts: it is an API route.",
    "src/request.server.ts: it runs for each request.",
    "redirects of holdfast.config",
    "report.scrub of holdfast.config: the expression /nick/v has the flag v",
    "[static-refused]",
  ])
    expect(log).toContain(problem);
}, 120_000);
