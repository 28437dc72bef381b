/**
 * What does Lighthouse say about a prerendered page of the tour, on a telephone? It is installed below the temporary
 * folder on first use. Three of its categories do not depend on the machine; performance needs a quiet one.
 *
 *     npm run build && npm run bench -- lighthouse --runs 3
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs, promisify } from "node:util";
import { repository } from "../pages/prepare.ts";
import { ServerProcess } from "../pages/server-process.ts";

const run = promisify(execFile);
const version = "13.5.0";
const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "3" },
    page: { type: "string", default: "/docs/prerendering" },
  },
});

interface Audit {
  title: string;
  score: number | null;
  displayValue?: string;
  numericValue?: number;
}

interface Result {
  categories: Record<string, { title: string; score: number; auditRefs: { id: string; weight: number }[] }>;
  audits: Record<string, Audit>;
}

const program = await installed();
const data = await mkdtemp(path.join(tmpdir(), "holdfast-lighthouse-"));
const contender = {
  ...{ name: "tour", title: "the tour", sources: "../../tour", build: [] },
  start: ["node", "$HOLDFAST", "start", "."],
  env: { HOST: "127.0.0.1", HOLDFAST_DATA: data },
};
const server = await ServerProcess.start({ contender, folder: path.join(repository, "tour") }, "any");
try {
  for (let at = 1; at <= Number(values.runs); at++) print(at, await measure(path.join(data, "result.json")));
} finally {
  await server.stop();
  await rm(data, { recursive: true, force: true });
}

async function installed(): Promise<string> {
  const place = path.join(process.env.HOLDFAST_BENCH ?? path.join(tmpdir(), "holdfast-bench"), `lighthouse-${version}`);
  const file = path.join(place, "node_modules/lighthouse/cli/index.js");
  if (existsSync(file)) return file;
  await mkdir(place, { recursive: true });
  await writeFile(path.join(place, "package.json"), '{ "private": true }');
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  await run("npm", ["install", ...options, `lighthouse@${version}`], { cwd: place });
  return file;
}

/** Mobile with a slow line and processor is its default. */
async function measure(file: string): Promise<Result> {
  const output = ["--quiet", "--output", "json", "--output-path", file];
  const browser = ["--chrome-flags=--no-sandbox --headless=new"];
  const CHROME_PATH = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
  const env = { ...process.env, CHROME_PATH };
  await run(process.execPath, [program, server.url + values.page, ...output, ...browser], { env, timeout: 180_000 });
  return JSON.parse(await readFile(file, "utf8"));
}

function print(at: number, { categories, audits }: Result): void {
  const scores = Object.values(categories).map(({ title, score }) => `${title} ${Math.round(score * 100)}`);
  const shift = audits["cumulative-layout-shift"]?.numericValue;
  const paint = audits["largest-contentful-paint"]?.displayValue;
  const blocked = audits["total-blocking-time"]?.displayValue;
  console.log(`${at}. ${scores.join(", ")}; shift ${shift}, largest paint ${paint}, blocked ${blocked}`);
  for (const { title, auditRefs } of Object.values(categories))
    for (const { id, weight } of auditRefs) {
      const score = audits[id]?.score ?? 1;
      if (weight > 0 && score < 1) console.log(`   ${title}: ${audits[id]?.title} ${score}`);
    }
}
