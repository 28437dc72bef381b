import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import type { GateVerdict } from "#host";
import type { Terminal } from "../terminal.ts";
import { hasPassed, notePassed } from "./passed-builds.ts";
import { stoppedSentence } from "./write-report.ts";

export interface GateProcessOptions {
  root: string;
  dataFolder: string;
  terminal: Terminal;
  /** Given, because reading it here would split the files of every start. */
  withinMs: number;
  /** Ends it: the server is stopped meanwhile. */
  signal?: AbortSignal | undefined;
}

/**
 * Runs `holdfast gate` in a process of its own, because the modules of an application exist once in a process: its
 * `onStop` would close what the server in service uses. A gate that cannot run does not keep the server from starting.
 */
export async function runGateProcess(options: GateProcessOptions): Promise<GateVerdict> {
  const { root, dataFolder, terminal } = options;
  if (await hasPassed(root, dataFolder)) {
    terminal.print("This build has passed the gate before; nothing is replayed.");
    return { kind: "open" };
  }
  const { code, output } = await runToEnd(options);
  if (output !== "") terminal.print(output);
  const why = code === 1 ? stoppedSentence(output) : undefined;
  if (why !== undefined) return { kind: "stopped", why };
  if (code === 0) await notePassed(root, dataFolder);
  else terminal.warn("The server starts although the gate could not run.");
  return { kind: "open" };
}

async function runToEnd({
  root,
  dataFolder,
  withinMs,
  signal,
}: GateProcessOptions): Promise<{ code: number | null; output: string }> {
  const [program = ""] = process.argv.slice(1);
  const child = spawn(process.execPath, [...process.execArgv, program, "gate", root], {
    env: { ...process.env, HOLDFAST_DATA: dataFolder },
    // By its channel the child notices the end of this process.
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    signal: AbortSignal.any([AbortSignal.timeout(withinMs), ...(signal ? [signal] : [])]),
    killSignal: "SIGKILL",
  });
  // An aborted child is an error event, and ends like any other.
  child.on("error", () => undefined);
  const { stdout } = child;
  if (stdout === null) throw new TypeError("The gate has no output.");
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [output, code] = await Promise.all([text(stdout), ended]);
  return { code, output: output.trimEnd() };
}
