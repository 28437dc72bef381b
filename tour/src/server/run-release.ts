import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

/** What visitors of release 2.5.0 got, by page. */
export interface ReleaseRun {
  pages: { path: string; failed: number; byNew: number; byBefore: number }[];
  /** What the server wrote about its routes. */
  said: string[];
}

const paths = ["/try/release/cart", "/try/clicks", "/try/history", "/try/addresses"];

/** Enough for the server to measure the next release by this one. */
const visitorsBefore = 20;
/** Eight failures are found after 20 requests without one. */
const mostRounds = 30;
/** To show that the others stay where they are. */
const roundsAfter = 5;
/** Two starts and 150 requests take 5 s on a laptop. */
const longestMs = 240_000;
/** A browser waits a minute for the outcome of a form. */
const answerMs = 45_000;
/** So long the result is kept, also for those who come meanwhile. */
const keptMs = 30_000;
/** The tour takes 80 MB, and twice as much with two builds. */
const heapMb = 256;
/** Of what the server writes; its lines about routes are among the first. */
const outputCharacters = 200_000;

const folderName = "release-run-";

/** Ends the process in any case, also if the tour was killed meanwhile. */
const endsItself = `data:text/javascript,setTimeout(()=>process.exit(1),${longestMs}).unref()`;

/** The tour's folder; in development, where there is no build, this file is not inside of one. */
const [root = "", inBuild] = fileURLToPath(import.meta.url).split(join(sep, "dist", "server", sep));

/** `none`: it cannot run here. */
export type RunState = { kind: "done"; run: ReleaseRun } | { kind: "running" } | { kind: "none" };

let latest: Promise<RunState> | undefined;

/**
 * Serves this build under two releases, one after the other, in a process of its own. One run at a time: a public page
 * must not start many processes, so another visitor gets the result of the same run.
 */
export async function runRelease(): Promise<RunState> {
  if (inBuild === undefined) return { kind: "none" };
  latest ??= run()
    .then((done): RunState => ({ kind: "done", run: done }))
    .catch((): RunState => ({ kind: "none" }))
    .finally(() => {
      setTimeout(() => {
        latest = undefined;
      }, keptMs).unref();
    });
  return Promise.race([latest, wait(answerMs, { kind: "running" } as const, { ref: false })]);
}

async function run(): Promise<ReleaseRun> {
  const above = join(root, ".holdfast");
  await mkdir(above, { recursive: true });
  await removeOld(above);
  const folder = await mkdtemp(join(above, folderName));
  const time = AbortSignal.timeout(longestMs);
  try {
    await writeApplication(folder);
    await using before = await startRelease(folder, "2.4.0", time);
    for (let turn = 0; turn < visitorsBefore; turn++) await before.visitAll();
    await before.stop();
    await using broken = await startRelease(folder, "2.5.0", time);
    return await visitUntilHealed(broken);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What runs have left that were killed. */
async function removeOld(above: string): Promise<void> {
  const names = (await readdir(above)).filter((name) => name.startsWith(folderName));
  for (const folder of names.map((name) => join(above, name))) {
    const { mtimeMs } = await stat(folder);
    if (Date.now() - mtimeMs > longestMs) await rm(folder, { recursive: true, force: true });
  }
}

/** The server's half of this build, with the settings of the tour and the one that heals. */
async function writeApplication(folder: string): Promise<void> {
  await cp(join(root, "dist", "server"), join(folder, "dist", "server"), { recursive: true });
  const { build } = JSON.parse(await readFile(join(root, "dist", "manifest.json"), "utf8"));
  // No browser comes.
  const manifest = { build, files: [], earlier: [], chunks: [] };
  await writeFile(join(folder, "dist", "manifest.json"), JSON.stringify(manifest));
  const settings = JSON.stringify(pathToFileURL(join(root, "holdfast.config.ts")).href);
  const config = `import tour from ${settings};\nexport default { ...tour, releases: { healing: "heal" } };\n`;
  await writeFile(join(folder, "holdfast.config.ts"), config);
}

async function visitUntilHealed({ visitAll, output }: RunningRelease): Promise<ReleaseRun> {
  const pages = paths.map((path) => ({ path, failed: 0, byNew: 0, byBefore: 0 }));
  let left = roundsAfter;
  for (let round = 0; round < mostRounds && left > 0; round++) {
    const answers = await visitAll();
    for (const [index, page] of pages.entries()) {
      if (answers[index] === "2.5.0") page.byNew += 1;
      else if (answers[index] === "2.4.0") page.byBefore += 1;
      else page.failed += 1;
    }
    if (pages[0]?.byBefore) left -= 1;
  }
  return { pages, said: [...new Set(output().match(/(?:not )?healed: .*/g))] };
}

interface RunningRelease extends AsyncDisposable {
  /** One visitor for each page: the release that answered, or `failed`. */
  visitAll: () => Promise<string[]>;
  output: () => string;
  stop: () => Promise<void>;
}

async function startRelease(folder: string, release: string, signal: AbortSignal): Promise<RunningRelease> {
  await writeFile(join(folder, "dist", "release.txt"), `${release}\n`);
  const [program = ""] = process.argv.slice(1);
  const options = [`--max-old-space-size=${heapMb}`, `--import=${endsItself}`];
  const child = spawn(process.execPath, [...options, program, "start", folder], {
    env: { ...process.env, ...settingsOf(folder) },
    stdio: ["ignore", "pipe", "pipe"],
    signal,
    killSignal: "SIGKILL",
  });
  const endWithTour = (): void => void child.kill("SIGKILL");
  process.once("exit", endWithTour);
  child.once("exit", () => process.off("exit", endWithTour));
  // An end by the signal is an error of the child, too.
  child.on("error", () => undefined);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(0, outputCharacters);
    });
  const stop = (): Promise<void> => stopChild(child);
  const address = await addressIn(() => output, child, signal).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const visit = async (path: string): Promise<string> => {
    const answer = await fetch(address + path, { headers: { connection: "close" }, signal });
    const text = await answer.text();
    return (answer.ok && /"release":"([\d.]+)"/.exec(text)?.[1]) || "failed";
  };
  return {
    visitAll: () => Promise.all(paths.map(visit)),
    output: () => output,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function settingsOf(folder: string): NodeJS.ProcessEnv {
  return {
    ...{ HOST: "127.0.0.1", PORT: "0", HOLDFAST_DATA: join(folder, "data"), HOLDFAST_STORE: "" },
    ...{ HOLDFAST_WORKERS: "1", HOLDFAST_DRAIN_SECONDS: "0" },
  };
}

/** The address that the command prints when it is ready. */
async function addressIn(output: () => string, child: ChildProcess, signal: AbortSignal): Promise<string> {
  while (child.exitCode === null && child.signalCode === null) {
    const [, address] = /^Pages +(http:\/\/\S+?)\/$/m.exec(output()) ?? [];
    if (address !== undefined) return address;
    await wait(50, undefined, { signal });
  }
  throw new Error("The release did not start.");
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill();
  await ended;
}
