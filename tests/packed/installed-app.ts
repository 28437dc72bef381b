import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, inject, onTestFinished } from "vitest";
import { environmentOn } from "./new-machine-environment.ts";

export interface Ran {
  stdout: string;
  stderr: string;
  status: number | null;
}

/** A copy of the application that was installed on the new machine. */
export interface InstalledApp {
  folder: string;
  /** Runs Node in its folder. */
  node(args: readonly string[]): Promise<Ran>;
  /** Runs the `holdfast` command. */
  holdfast(args: readonly string[]): Promise<Ran>;
  /** Runs npm. A failure fails the test, with its output. */
  npm(args: readonly string[]): Promise<Ran>;
  /** Runs `holdfast dev` or `holdfast start` until the test ends. Resolves with the address. */
  serve(how: "dev" | "start", optionsOfNode?: readonly string[]): Promise<string>;
}

/** `whole`: with the starter's files. Otherwise only with its packages. */
export function installedApp(name: string, whole: boolean): InstalledApp {
  const machine = inject("newMachine");
  const folder = join(machine.folder, name);
  const env = environmentOn(machine);
  const parts = whole ? [""] : ["node_modules", "package.json"];
  // Links stay relative, so that the copy runs its own programs.
  for (const part of parts)
    cpSync(join(machine.app, part), join(folder, part), { recursive: true, verbatimSymlinks: true });
  const command = join(folder, "node_modules/holdfast/bin/holdfast.js");
  const node = (args: readonly string[]): Promise<Ran> => run(process.execPath, args, folder);
  return {
    folder,
    node,
    holdfast: (args) => node([command, ...args]),
    npm: (args) => runOnNewMachine("npm", args, folder),
    serve: async (how, optionsOfNode = []) => {
      const begun = performance.now();
      const server = spawn(process.execPath, [...optionsOfNode, command, how, "--port", "0"], { cwd: folder, env });
      onTestFinished(() => void server.kill());
      let said = "";
      server.stderr.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
      // The pipe stays open, because the server continues to write its log.
      for await (const text of server.stdout.iterator({ destroyOnReturn: false })) {
        said += text;
        const url = /http:\/\/[\w.:[\]]+/.exec(said)?.[0];
        if (!url) continue;
        server.stdout.resume();
        await (await fetch(url)).text();
        sayHowLong(`${how} to the first HTML`, begun);
        checkMemory(how, server.pid);
        return url;
      }
      throw new Error(`The server ended without an address: ${said}`);
    },
  };
}

/** Runs a program in the machine's folder or in one of its applications. A failure fails the test, with its output. */
export async function runOnNewMachine(
  program: string,
  args: readonly string[],
  folder = inject("newMachine").folder,
): Promise<Ran> {
  const begun = performance.now();
  const ran = await run(program, args, folder);
  const step = [basename(program), ...args].join(" ");
  if (ran.status !== 0) throw new Error(`${step} ended with ${ran.status}:\n${ran.stdout}${ran.stderr}`);
  sayHowLong(step, begun);
  return ran;
}

/** Asynchronous: the test runner would consider a blocked process dead. */
async function run(program: string, args: readonly string[], cwd: string): Promise<Ran> {
  const env = { ...environmentOn(inject("newMachine")), npm_config_loglevel: "error" };
  const child = spawn(program, args, { cwd, shell: needsShell(program), env });
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const)
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      said[stream] += text;
    });
  const [status] = await once(child, "close");
  return { ...said, status };
}

/** On Windows, npm is a shell script. */
function needsShell(program: string): boolean {
  return process.platform === "win32" && program === "npm";
}

export function sayHowLong(step: string, begun: number): void {
  console.log(`${step}: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
}

/** A start takes about 85 MB on a quiet machine, and 111 were seen on a busy one. */
const startMegabytes = 130;

function checkMemory(how: "dev" | "start", pid: number | undefined): void {
  const status = `/proc/${pid}/status`;
  if (!existsSync(status)) return;
  const megabytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(status, "utf8"))?.[1]) / 1_000;
  console.log(`${how}: ${megabytes} MB of memory`);
  if (how === "start") expect(megabytes).toBeLessThanOrEqual(startMegabytes);
}
