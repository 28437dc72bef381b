/**
 * Measures the server's time for every screen of the console, from the request to the last byte.
 *
 *   npm run build && node bin/holdfast.js build tests/fixtures/watched
 *   npm run bench -- service questions --folder DIR/data --load-only --templates 12000 --until now
 *   HOLDFAST_DATA=DIR PORT=4600 HOST=127.0.0.1 node bin/holdfast.js start tests/fixtures/watched
 *   npm run bench -- service screens [--url http://127.0.0.1:4600] [--times 60] [--pid N]
 *
 * The application `watched` has no sign-in. `--pid` is the process of the server: then the CPU time of a request is
 * shown too, which other processes of the machine disturb less. Target: a 95th percentile of at most 100 ms.
 */
import { readFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { parseArgs } from "node:util";

interface Answer {
  status: number;
  location: string | undefined;
  text: string;
  ms: number;
}

export async function measureScreens(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      url: { type: "string", default: "http://127.0.0.1:4600" },
      times: { type: "string", default: "60" },
      pid: { type: "string" },
    },
  });
  const browser = new Browser(values.url);
  for (const [name, path] of await screensOf(browser)) {
    if (path === undefined) console.log(`${name.padEnd(20)} has no address: nothing of this kind is stored`);
    else console.log(name.padEnd(20), await measure(browser, path, { times: Number(values.times), pid: values.pid }));
  }
  browser.close();
}

/** The addresses of all screens. Those of an issue, visitor, trace and so on are found by links. */
async function screensOf(browser: Browser): Promise<readonly (readonly [string, string | undefined])[]> {
  const project = (await browser.open("/_holdfast")).path.replace(/\/$/, "");
  const issue = await browser.link(`${project}/issues?sort=events`, /\/issues\/\d+$/);
  const event = issue && (await browser.link(issue, /\/events\/[^/]+$/));
  const visitors = issue && `${issue}/visitors`;
  const visitor = visitors && (await browser.link(visitors, /\/visitors\/[0-9a-z]+$/));
  const route = (await browser.link(`${project}/pages`, /\/route\?route=/))?.replace(/&.*/, "");
  const trace = route && (await browser.link(route, /\/traces\/[0-9a-f]+/));
  const release = await browser.link(`${project}/releases`, /\/named\?/);
  const plain = [
    "balance",
    "releases",
    "releases/compared",
    "live",
    "feedback",
    "schedules",
    "alerts",
    "settings",
    "me",
  ];
  return [
    ["overview", project],
    ["issues", `${project}/issues`],
    ["issues, 14 days", `${project}/issues?days=14`],
    ["issues by events", `${project}/issues?sort=events`],
    ["issues by text", `${project}/issues?q=failed+order`],
    ["issue", issue],
    ["visitors of an issue", visitors],
    ["the same by events", visitors && `${visitors}?sort=events&page=2`],
    ["event", event],
    ["visitor", visitor],
    ["live of a visitor", visitor && `${project}/live?visitor=${visitor.replace(/.*\//, "")}`],
    ["pages", `${project}/pages`],
    ["pages, 14 days", `${project}/pages?days=14`],
    ["route", route],
    ["route, 1 day", route && `${route}&days=1`],
    ["route, 90 days", route && `${route}&days=90`],
    ["trace", trace],
    ["release", release],
    ["search", `${project}/suggest.json?q=user-7`],
    ["news of live", `${project}/live/news.json`],
    ...plain.map((name) => [name, `${project}/${name}`] as const),
  ];
}

async function measure(browser: Browser, path: string, { times, pid }: { times: number; pid: string | undefined }) {
  for (let warm = 0; warm < 8; warm++) await browser.get(path);
  const before = cpuMsOf(pid);
  const answers: Answer[] = [];
  while (answers.length < times) answers.push(await browser.get(path));
  const cpu = (cpuMsOf(pid) - before) / times;
  const sorted = answers.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(share * times)] ?? 0).toFixed(1).padStart(6);
  const statuses = [...new Set(answers.map(({ status }) => status))].join(", ");
  return `${statuses}   p50 ${at(0.5)} ms   p95 ${at(0.95)} ms${pid === undefined ? "" : `   CPU ${cpu.toFixed(1)} ms`}`;
}

/** User and system time of all threads of a process, in steps of 10 ms. Linux only. */
function cpuMsOf(pid: string | undefined): number {
  if (pid === undefined) return 0;
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** One connection, one request at a time. */
class Browser {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(url: string) {
    this.#url = url;
  }

  get(path: string): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const start = performance.now();
    get(new URL(path, this.#url), { agent: this.#agent, headers: { accept: "text/html" } }, async (response) => {
      const chunks = await response.toArray().catch(reject);
      const text = Buffer.concat(chunks ?? []).toString();
      const { statusCode: status = 0, headers } = response;
      resolve({ status, location: headers.location, text, ms: performance.now() - start });
    }).on("error", reject);
    return promise;
  }

  /** Follows redirects. */
  async open(path: string): Promise<Answer & { path: string }> {
    const answer = await this.get(path);
    return answer.location === undefined ? { ...answer, path } : this.open(this.#pathOf(answer.location, path));
  }

  /** The first link of a screen that leads to such an address. */
  async link(path: string, to: RegExp): Promise<string | undefined> {
    const { text } = await this.open(path);
    const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, href = ""]) => href.replaceAll("&amp;", "&"));
    const found = links.find((href) => to.test(href.replace(/[?#](?!route=|name=).*/, "")));
    return found && this.#pathOf(found, path);
  }

  close(): void {
    this.#agent.destroy();
  }

  #pathOf(href: string, base: string): string {
    const { pathname, search } = new URL(href, new URL(base, this.#url));
    return pathname + search;
  }
}
