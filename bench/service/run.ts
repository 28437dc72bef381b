/**
 * Benchmarks of the service. Without an argument all but the last run in turn; an argument selects one:
 *
 *   npm run bench -- service cost          accept, file and store against HTTP, JSON.parse, zstd and a bare insert
 *   npm run bench -- service memory        memory of an idle service
 *   npm run bench -- service overload      one project sends five times its quota
 *   npm run bench -- service quorum        events a second into three PostgreSQL nodes with quorum commit
 *   npm run bench -- service questions     a million generated events (--events N, --folder DIR), then every query
 *   npm run bench -- service screens       every screen of a console that runs (--url, --times, --pid)
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { measureCost } from "./cost.ts";
import { measureIdleMemory } from "./idle-memory.ts";
import { measureOverload } from "./overload.ts";
import { measureQuorum } from "./quorum.ts";
import { measureScreens } from "./screens.ts";

const parts: Readonly<Record<string, (args: readonly string[]) => Promise<unknown>>> = {
  cost: () => measureCost(),
  memory: () => measureIdleMemory(),
  overload: () => measureOverload(),
  quorum: () => measureQuorum(),
  questions: loadAndAsk,
  screens: measureScreens,
};

const [asked, ...args] = process.argv.slice(2);
// Screens need a running server.
const chosen = Object.entries(parts).filter(([name]) => (asked === undefined ? name !== "screens" : name === asked));
if (chosen.length === 0) {
  console.error(`There is no part "${asked}"; there are ${Object.keys(parts).join(", ")}.`);
  process.exitCode = 1;
}
for (const [name, measure] of chosen) {
  console.log(`── ${name}`);
  await measure(args);
}

/** In its own process, so that its memory does not affect the other measurements. */
async function loadAndAsk(args: readonly string[]): Promise<void> {
  const program = fileURLToPath(new URL("./load-and-ask.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=holdfast-source", program, ...args], { stdio: "inherit" });
  const [code] = await once(child, "exit");
  if (code !== 0) process.exitCode = 1;
}
