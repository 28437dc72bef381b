import type { Terminal } from "./terminal.ts";

/** One word after `holdfast`. */
export interface Command {
  /** What follows `holdfast`: `dev [FOLDER] [--port N]`. */
  readonly usage: string;
  readonly says: string;
  /** What each option means: `{ "--port N": "where to listen" }`. */
  readonly options: Readonly<Record<string, string>>;
  /** Returns the exit code. */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

/** How a command is used, for `--help`. */
export function writeHelp({ usage, says, options }: Command): string {
  const width = Math.max(0, ...Object.keys(options).map((option) => option.length));
  const lines = Object.entries(options).map(([option, meaning]) => `  ${option.padEnd(width)}  ${meaning}`);
  return [`holdfast ${usage}`, `  ${says}`, ...(lines.length > 0 ? ["", ...lines] : [])].join("\n");
}
