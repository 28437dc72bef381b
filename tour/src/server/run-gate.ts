import { execFile } from "node:child_process";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** What the gate has decided about the page of this experiment. */
export interface GateRun {
  verdict: string;
  /** Undefined if no event of the page is filed yet. */
  found: { number: number; request: string; outcome: string } | undefined;
  /** Other issues of the tour, which are not shown: their requests are those of other visitors. */
  others: number;
}

/** The tour's folder; in development, where there is no build, this file is not inside of one. */
const [root = "", inBuild] = fileURLToPath(import.meta.url).split(join(sep, "dist", "server", sep));

let running: Promise<GateRun | undefined> | undefined;

/**
 * Runs `holdfast gate` for this very build, as a deployment would. `prices` says whether the price list is repaired in
 * it. One run at a time: a public page must not start many processes. Undefined if the gate cannot run.
 */
export async function runGate(prices: "fixed" | "broken"): Promise<GateRun | undefined> {
  await running?.catch(() => undefined);
  running = inBuild === undefined ? Promise.resolve(undefined) : run(prices);
  return running;
}

function run(prices: string): Promise<GateRun | undefined> {
  const [program = ""] = process.argv.slice(1);
  const env = { ...process.env, TOUR_PRICES: prices };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, "gate", root, "--json"], { env, timeout: 40_000 }, (_end, output) =>
      resolve(readReport(output)),
    );
  });
}

interface Report {
  verdict: string;
  issues: { number: number; request?: string; outcome: { kind: string } }[];
}

function readReport(output: string): GateRun | undefined {
  try {
    // The command prints this form, or nothing.
    const { verdict, issues } = JSON.parse(output) as Report;
    const own = issues.find(({ request }) => request?.startsWith("GET /try/gate/prices"));
    const found = own && { number: own.number, request: own.request ?? "", outcome: own.outcome.kind };
    return { verdict, found, others: issues.length - (own ? 1 : 0) };
  } catch {
    return undefined;
  }
}
