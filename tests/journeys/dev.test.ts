import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openSources } from "#build";
import { type RunningServer, startDevelopment } from "#host";
import { root } from "../../scripts/root.js";
import { application, startApp, writeFiles } from "../kit/index.ts";

const ink = (stamp: string): string =>
  `import { action } from "holdfast/server"; export const actions = { stamp: action({}, () => "${stamp}") };`;

const folder = join(
  root,
  application({
    "src/look.css": "body { color: teal }",
    "src/card.tsx":
      'import styles from "./card.module.css"; export const Card = () => <p className={styles.card}>card</p>;',
    "src/card.module.css": ".card { color: red }",
    "src/pages/_layout.tsx":
      'import "../look.css"; export default ({ children }: { children: never }) => <html lang="en"><body>{children}</body></html>;',
    "src/pages/index.tsx": 'import { Card } from "../card.tsx"; export default () => <h1>Home <Card /></h1>;',
    "src/pages/index.server.ts": 'export const fresh = 30_000; const secret = "only-for-the-server";',
    "src/pages/leaky/file.tsx": 'import { secret } from "../../server/db.ts"; export default () => <p>{secret}</p>;',
    "src/pages/leaky/package.tsx":
      'import { readFileSync } from "node:fs"; export default () => <p>{readFileSync.name}</p>;',
    "src/pages/leaky/variable.tsx": "export default () => <p>{process.env.PAYMENT_KEY}</p>;",
    "src/ink.actions.server.ts": ink("red, only-for-the-server"),
    "src/pages/stamped.tsx":
      'import { Form, useActions } from "holdfast"; import { actions } from "../ink.actions.server.ts"; export default () => <Form action={useActions(actions).stamp} />;',
    "src/dot.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="12" height="8"></svg>',
    "src/pages/pictured.tsx":
      'import { Image } from "holdfast"; import dot from "../dot.svg?image"; export default () => <Image src={dot} alt="Dot" />;',
    "src/server/db.ts": 'export const secret = "only-for-the-server";',
    "holdfast.config.ts": "// only-for-the-server\nexport default {};",
    // Like Tailwind: a stylesheet that depends on other files.
    "vite.config.ts":
      '// only-for-the-server\nimport { resolve } from "node:path";\nexport default { plugins: [{ name: "follows", transform(code: string, id: string) { if (id.endsWith("look.css")) this.addWatchFile(resolve("followed.css")); } }] };',
    "followed.css": "body { color: red }",
    ".holdfast/data/kept.txt": "only-for-the-server",
    "dist/server/application.js": "// only-for-the-server",
    "orders.db": "only-for-the-server",
  }),
);

describe("an application in development", () => {
  let server: RunningServer;
  const get = async (path: string, accept = "text/html") => {
    const answer = await fetch(server.url + path, { headers: { accept } });
    return { status: answer.status, text: await answer.text() };
  };
  beforeAll(async () => {
    const failing = ["failing.tsx", "failing.server.ts", "broken.tsx"].map((file) => `src/pages/${file}`);
    for (const file of ["src/pages/late.tsx", "src/pages/parts", "src/matchers.ts", ...failing])
      rmSync(join(folder, file), { recursive: true, force: true });
    // A run before this one has changed it.
    writeFiles(folder, { "src/ink.actions.server.ts": ink("red, only-for-the-server") });
    const sources = await openSources({ root: folder, watch: true });
    server = await startDevelopment({
      root: folder,
      sources,
      port: 0,
      nextFreePort: false,
      host: "127.0.0.1",
      dataFolder: join(folder, ".holdfast/data"),
    });
  });
  afterAll(() => server.stop());

  it("an image has its size, and is the file itself", async () => {
    const { text } = await get("/pictured");
    const [, src = ""] = /<img[^>]* width="12" height="8" src="([^"]+)"/.exec(text) ?? [];
    expect((await get(src, "image/*")).text).toContain("<svg");
  });

  it("shows an agent on this machine its routes, its last failures, compile errors too, and the last load of a page", async () => {
    const client = new Client({ name: "test", version: "1" });
    const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/_holdfast/mcp`));
    await client.connect(transport as Parameters<Client["connect"]>[0]);
    const call = async (name: string, given = {}): Promise<string> =>
      JSON.stringify((await client.callTool({ name, arguments: given })).content);
    expect(await call("routes", { contains: "stamped" })).toContain(
      "/stamped (page): page src/pages/stamped.tsx, layouts src/pages/_layout.tsx",
    );
    writeFiles(folder, {
      "src/pages/failing.tsx": "export default () => <p />;",
      "src/pages/failing.server.ts":
        'import { load } from "holdfast/server";\n\nexport const data = load("/failing", (): never => {\n  throw new TypeError("no vat");\n});\n',
      "src/pages/broken.tsx": "export default () => <p>;",
    });
    await expect.poll(async () => (await get("/failing")).status).toBe(500);
    expect(await call("last_failures", { limit: 1 })).toMatch(
      /TypeError in the load of \/failing, on the server\\nno vat.*digest: [^\\]+\\n.*src\/pages\/failing\.server\.ts/,
    );
    await get("/stamped");
    const lastLoad = (route: string) => () => call("last_load", { route });
    // A trace is sent after its response; an agent may not ask more often than so.
    const often = { interval: 500 };
    await expect.poll(lastLoad("/stamped"), often).toMatch(/ request of \/stamped, .*trace [0-9a-f]{32}/);
    await expect.poll(lastLoad("/failing"), often).toMatch(/ request of \/failing, .*TypeError: no vat/);
    expect(await call("last_load", { route: "/never" })).toContain("no page of this route was loaded lately");
    await get("/broken");
    await expect.poll(() => call("last_failures")).toMatch(/This file cannot be compiled.*src\/pages\/broken\.tsx:1/);
    await client.close();
    for (const file of ["failing.tsx", "failing.server.ts", "broken.tsx"]) rmSync(join(folder, "src/pages", file));
  });

  it("takes changes of a component's actions, and serves only their names", async () => {
    expect((await get("/stamped")).text).toContain('action="/stamped/_action/ink.actions/stamp"');
    const stamp = async (): Promise<string> => {
      const to = `${server.url}/stamped/_action/ink.actions/stamp/_data`;
      return (await fetch(to, { method: "POST", body: new URLSearchParams() })).text();
    };
    expect(await stamp()).toContain("red");
    const page = await get("/src/pages/stamped.tsx", "*/*");
    const [, name = "none"] = /"([^"]*virtual:holdfast\/actions\/[^"]*)"/.exec(page.text) ?? [];
    const served = await get(name, "*/*");
    expect([served.status, served.text.includes('"ink.actions/"')]).toEqual([200, true]);
    const file = await get("/src/ink.actions.server.ts", "*/*");
    for (const { text } of [page, served, file]) expect(text).not.toContain("only-for-the-server");
    writeFiles(folder, { "src/ink.actions.server.ts": ink("blue") });
    await expect.poll(stamp).toContain("blue");
  });

  it("serves documents made from its files", async () => {
    const { status, text } = await get("/");
    expect(status).toBe(200);
    expect(text).toContain("Home");
    expect(text).toContain("/@id/__x00__virtual:holdfast/dev");
  });

  it("has a browser entry that Vite serves", async () => {
    const { text } = await get("/@id/__x00__virtual:holdfast/browser", "*/*");
    expect(text).toContain("/src/pages/index.tsx");
    expect(text).toContain("startBrowser");
  });

  it("has the styles of a page in its first document, including those of its components", async () => {
    const { text } = await get("/");
    const styles = [...text.matchAll(/href="([^"]+\.css)"/g)].map(([, path]) => path);
    expect(new Set(styles)).toEqual(new Set(["/src/look.css", "/src/card.module.css"]));
    expect((await get("/src/look.css", "text/css")).text).toContain("color: teal");
  });

  it("has them also while files of pages come and go", async () => {
    for (let round = 0; round < 20; round++) {
      if (round % 2 === 0) writeFiles(folder, { "src/pages/passing.tsx": "export default () => <p />;" });
      else rmSync(join(folder, "src/pages/passing.tsx"));
      for (let request = 0; request < 10; request++) expect((await get("/")).text).toContain('href="/src/look.css"');
    }
  });

  it.each([
    "/src/pages/index.server.ts",
    "/src/server/db.ts",
    "/src/server/db.ts?raw",
    "/src/server/db.ts?url&inline",
    "/src/pages/index.server.ts?import&raw",
    `/@fs${join(folder, "src/server/db.ts")}`,
    "/holdfast.config.ts",
    "/holdfast.config.ts?raw",
    "/holdfast.config.ts?import&raw",
    "/HOLDFAST.config.ts?raw",
    `/@fs${join(folder, "holdfast.config.ts")}?raw`,
    "/vite.config.ts?raw",
    "/.holdfast/data/kept.txt",
    "/.holdfast/data/kept.txt?raw",
    "/dist/server/application.js",
    "/dist/server/application.js?raw",
    "/orders.db?url&inline",
  ])("does not give away %s to whoever asks by its address", async (path) => {
    const encoded = Buffer.from("only-for-the-server").toString("base64").slice(0, 20);
    const { text } = await get(path, "*/*");
    expect(text).not.toContain("only-for-the-server");
    expect(text).not.toContain(encoded);
  });

  it.each([
    ["file", "src/pages/leaky/file.tsx → src/server/db.ts"],
    ["package", "src/pages/leaky/package.tsx → node:fs"],
    ["variable", "src/pages/leaky/variable.tsx:1 uses process.env.PAYMENT_KEY"],
  ])("refuses the browser a page with a server's %s in it, as the build does", async (page, words) => {
    const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { status } = await get(`/src/pages/leaky/${page}.tsx`, "*/*");
    expect(status).not.toBe(200);
    expect(said.mock.calls.flat().join(" ")).toContain(words);
    said.mockRestore();
  });

  it.each([
    ["another site", "cross-site", 403],
    ["another port of this machine", "same-site", 403],
    ["an address that was typed", "none", 403],
    // Passed the check: only the file name is missing.
    ["its own page", "same-origin", 500],
  ])("opens a file in its author's editor for its own page only: %s", async (_, site, status) => {
    for (const path of ["/__open-in-editor", "/__OPEN-in-editor"])
      expect((await fetch(server.url + path, { headers: { "sec-fetch-site": site } })).status).toBe(status);
  });

  it("opens it without that header, as on a phone in the same network, only if the page identifies itself", async () => {
    const asked = async (referer: string): Promise<number> =>
      (await fetch(`${server.url}/__open-in-editor`, { headers: { referer } })).status;
    expect([await asked(`${server.url}/`), await asked("http://elsewhere.example/"), await asked("")]).toEqual([
      500, 403, 403,
    ]);
  });

  it("has the headers of production, and beside them only what Vite's own client needs", async () => {
    const built = await startApp({ app: "tests/fixtures/walk" });
    const headers = async (url: string): Promise<Record<string, string>> => {
      const answer = await fetch(url, { headers: { accept: "text/html" } });
      return Object.fromEntries(
        [...answer.headers].map(([name, value]) => [name, value.replaceAll(/'(nonce|sha256)-[^']+'/g, "'$1'")]),
      );
    };
    const [here, there] = [await headers(`${server.url}/`), await headers(`${built.url}/`)];
    await built.stop();
    expect(Object.keys(here).sort()).toEqual(Object.keys(there).sort());
    const policy = (all: Record<string, string>): string[] => (all["content-security-policy"] ?? "").split("; ");
    const production = policy(there).map((directive) => {
      if (directive.startsWith("style-src ")) return directive.replace("'self'", "'self' 'nonce'");
      return directive.startsWith("connect-src ") ? `${directive} ws:` : directive;
    });
    expect(policy(here)).toEqual(production);
  });

  it("has a new route and its type as soon as its file exists", async () => {
    expect((await get("/late")).status).toBe(404);
    writeFiles(folder, { "src/pages/late.tsx": "export default () => <p>late</p>;" });
    await expect.poll(async () => (await get("/late")).status).toBe(200);
    expect((await get("/late")).text).toContain("late");
    expect(readFileSync(join(folder, ".holdfast/types/routes.d.ts"), "utf8")).toContain('"/late"');
  });

  it("has the routes of a matcher as soon as it exists, and follows its changes", async () => {
    const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const statuses = async () => [(await get("/parts/7")).status, (await get("/parts/x")).status];
    const matcher = (accepted: string) =>
      writeFiles(folder, { "src/matchers.ts": `export const part = (value: string) => /^${accepted}$/.test(value);` });
    writeFiles(folder, { "src/pages/parts/[id=part].tsx": "export default () => <p>part</p>;" });
    await expect.poll(() => said.mock.calls.flat().join(" ")).toContain("there is no src/matchers.ts");
    matcher("[0-9]");
    await expect.poll(statuses).toEqual([200, 404]);
    matcher("[a-z]");
    await expect.poll(statuses).toEqual([404, 200]);
    said.mockRestore();
  });

  it("shows a change of a page at the next request", async () => {
    writeFiles(folder, { "src/pages/late.tsx": "export default () => <p>changed</p>;" });
    await expect.poll(async () => (await get("/late")).text).toContain("changed");
  });
});
