import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Rolldown } from "vite";
import { afterAll, describe, expect, test } from "vitest";
import { root } from "../scripts/root.js";
import { earlyScript } from "../src/reporting/server/early-script.ts";

/**
 * What the framework costs a visitor, beyond react and react-dom. A limit that is passed is either a mistake or a decision; a decision
 * changes the number here.
 */
describe("the browser's part of the framework, gzipped", () => {
  test("is at most 9 kB on a first load: everything that makes a page alive", async () => {
    const { entry } = await bundled();
    expect(entry.bytes).toBeLessThanOrEqual(9_000);
    // The measure would be worth nothing if something else had been bundled.
    expect(entry.files).toContain("src/pages/browser/screen.tsx");
    expect(entry.files).not.toContain("src/pages/browser/navigations.ts");
  });

  test("is at most 11 kB more with the first movement: navigations, prefetching, history", async () => {
    const { later } = await bundled();
    expect(later.bytes).toBeLessThanOrEqual(11_000);
    expect(later.files).toContain("src/pages/browser/navigations.ts");
  });

  test("is at most 1.1 kB of reporting before the page is alive, and 18 kB when it is idle", async () => {
    const [{ entry }, withReporting] = [await bundled(), await bundledWithReporting()];
    const inline = gzipSync(earlyScript({ to: "/_holdfast/post", environment: "production", rate: 0.1 })).length;
    expect(withReporting.entry.files).toContain("src/reporting/browser/relay.ts");
    expect(withReporting.entry.bytes - entry.bytes + inline).toBeLessThanOrEqual(1_100);
    expect(withReporting.reporter.files).toContain("src/reporting/browser/reporter.ts");
    expect(withReporting.reporter.bytes).toBeLessThanOrEqual(18_000);
  });
});

describe("the console, gzipped", () => {
  const folder = join(root, "dist/console/browser/_holdfast/_assets");
  const sizes = readdirSync(folder).map((name) => ({
    name,
    bytes: gzipSync(readFileSync(join(folder, name)), { level: 9 }).length,
  }));
  const sum = (files: typeof sizes) => files.reduce((total, { bytes }) => total + bytes, 0);
  const scripts = (pattern: RegExp) => sizes.filter(({ name }) => name.endsWith(".js") && pattern.test(name));

  test("loads at most 100 kB of JavaScript with any of its screens, with all that navigating in it needs", () => {
    const navigating = scripts(/^(?:tab|later)-/);
    expect(navigating.length).toBe(1);
    const everywhere = sum([...scripts(/^(?:entry|project-_layout)-/), ...navigating]);
    const screens = scripts(/^project-(?!_layout)/);
    expect(screens.length).toBeGreaterThan(8);
    for (const { name, bytes } of screens) expect(everywhere + bytes, name).toBeLessThanOrEqual(100_000);
  });

  test("has at most 12 kB of styles", () => {
    const styles = sizes.filter(({ name }) => name.endsWith(".css"));
    expect(styles.length).toBeGreaterThan(0);
    expect(sum(styles)).toBeLessThanOrEqual(12_000);
  });
});

describe("one request", () => {
  test("of a document, of its data, or of a page with a hundred links allocates no more than it has to", async () => {
    const server = await startMeasured();
    const [home, data, items] = [
      await server.bytesPer("/"),
      await server.bytesPer("/items/_data"),
      await server.bytesPer("/items"),
    ];
    // What each has been, and room for a third more. One more object per request does not show here; a copy of the page, a second tree or a chain
    // of wrappers does.
    expect(home).toBeLessThanOrEqual(85_000);
    expect(data).toBeLessThanOrEqual(52_000);
    expect(items).toBeLessThanOrEqual(330_000);
    // It would be worth nothing if nothing had been allocated, or all of it collected.
    expect(Math.min(home, data, items)).toBeGreaterThan(2_000);
  });

  test("of a first load brings the document, the entry and the page; the reporter follows when the browser has nothing to do", async () => {
    const { url } = await startMeasured();
    for (const address of ["/", "/items", "/items/7"]) {
      const html = await (await fetch(url + address)).text();
      const fetched = new Set(
        [...html.matchAll(/(?:href|src)="(\/_assets\/[^"]+)"|import\("([^"]+)"\)/g)].map(
          ([, linked, imported]) => linked ?? imported,
        ),
      );
      expect([...fetched].length, `${address} fetches ${[...fetched].join(" ")}`).toBeLessThanOrEqual(2);
      expect(fetched.size).toBeGreaterThan(0);
    }
  });
});

interface MeasuredServer {
  url: string;
  /** Bytes that a request to this address leaves to be collected. */
  bytesPer(address: string): Promise<number>;
}

let measured: Promise<MeasuredServer> | undefined;

/** The application of the benchmark, built, in a server whose young memory is so large that nothing is collected while it is measured. */
function startMeasured(): Promise<MeasuredServer> {
  measured ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-budgets-"));
    cpSync(join(root, "bench/pages/app/src"), join(folder, "src"), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    const command = join(root, "bin/holdfast.js");
    const env = { ...process.env, NODE_ENV: "production", HOLDFAST_DATA: join(folder, "data") };
    execFileSync(process.execPath, [command, "build", folder], { env });
    const child = fork(command, ["start", folder, "--port", "0", "--host", "127.0.0.1"], {
      execArgv: [
        "--expose-gc",
        "--min-semi-space-size=128",
        "--max-semi-space-size=128",
        "--import",
        join(root, "tests/kit/heap-probe.js"),
      ],
      env,
      silent: true,
    });
    afterMeasured = async () => {
      child.kill("SIGKILL");
      await once(child, "exit");
      rmSync(folder, { recursive: true, force: true });
    };
    const url = await addressOf(child);
    const heap = async (asked: "collect" | "now"): Promise<number> => {
      child.send(asked);
      const [bytes] = await once(child, "message");
      return Number(bytes);
    };
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = async (address: string, times: number): Promise<void> => {
      for (let time = 0; time < times; time++) await answerTo(url + address, agent);
    };
    const bytesPer = async (address: string): Promise<number> => {
      await ask(address, warmRequests);
      const before = await heap("collect");
      await ask(address, countedRequests);
      return ((await heap("now")) - before) / countedRequests;
    };
    return { url, bytesPer };
  })();
  return measured;
}

const warmRequests = 300;
const countedRequests = 100;

let afterMeasured: (() => Promise<void>) | undefined;
afterAll(() => afterMeasured?.());

async function addressOf(child: ChildProcess): Promise<string> {
  let text = "";
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk);
    const url = /Pages\s+(http:\S+)\//.exec(text)?.[1];
    if (url !== undefined) {
      child.stdout?.resume();
      return url;
    }
  }
  throw new Error(`The server ended before it said where it listens: ${text}`);
}

function answerTo(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (answer) => {
      answer
        .resume()
        .once("end", () =>
          answer.statusCode === 200 ? resolve() : reject(new Error(`${url} answered ${answer.statusCode}.`)),
        );
    }).once("error", reject);
  });
}

interface Bundle {
  bytes: number;
  files: string[];
}

let made: Promise<{ entry: Bundle; later: Bundle }> | undefined;

/** Bundles the browser's part as an application's build would, with React left out. */
function bundled(): Promise<{ entry: Bundle; later: Bundle }> {
  made ??= bundle("globalThis.signals").then((chunks) => ({
    entry: sumOf(chunks.filter(({ isEntry }) => isEntry)),
    later: sumOf(chunks.filter(({ isEntry }) => !isEntry)),
  }));
  return made;
}

async function bundledWithReporting(): Promise<{ entry: Bundle; reporter: Bundle }> {
  const chunks = await bundle("browserSignals");
  const entry = chunks.filter(({ isEntry }) => isEntry);
  // What the entry imports is fetched with it.
  const early = chunks.filter(
    ({ isEntry, fileName }) => isEntry || entry.some(({ imports }) => imports.includes(fileName)),
  );
  const isReporter = ({ moduleIds }: Rolldown.OutputChunk) =>
    moduleIds.some((id) => id.endsWith("browser/reporter.ts"));
  return { entry: sumOf(early), reporter: sumOf(chunks.filter(isReporter)) };
}

async function bundle(signals: "globalThis.signals" | "browserSignals"): Promise<Rolldown.OutputChunk[]> {
  const entryId = "virtual:first-load";
  const from = (file: string) => JSON.stringify(join(root, file));
  // As an application's build does: with the test runner's own value, components would carry what only developers need.
  process.env.NODE_ENV = "production";
  const result = await build({
    root,
    configFile: false,
    logLevel: "error",
    define: { "process.env.NODE_ENV": '"production"' },
    resolve: { conditions: ["holdfast-source", "module", "browser"] },
    plugins: [
      {
        name: "first-load",
        resolveId: (id) => (id === entryId ? id : undefined),
        load: (id) =>
          id === entryId
            ? `import { startBrowser } from ${from("src/pages/browser/index.ts")};
${signals === "browserSignals" ? `import { browserSignals } from ${from("src/reporting/browser/index.ts")};` : ""}
startBrowser(globalThis.parts, ${signals});`
            : undefined,
      },
    ],
    build: {
      write: false,
      modulePreload: { polyfill: false },
      rolldownOptions: { input: entryId, external: [/^react/] },
    },
  });
  if (Array.isArray(result) || !("output" in result)) throw new Error("Vite gave something else than one bundle.");
  return result.output.filter((file) => file.type === "chunk");
}

function sumOf(chunks: readonly Rolldown.OutputChunk[]): Bundle {
  return {
    bytes: chunks.reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0),
    files: chunks.flatMap(({ moduleIds }) => moduleIds.map((id) => id.slice(root.length + 1))),
  };
}
