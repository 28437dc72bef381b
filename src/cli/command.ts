import type { Terminal } from "./terminal.ts";

/** A subcommand of `holdfast`. */
export interface Command {
  /** Arguments after `holdfast`: `dev [FOLDER] [--port N]`. */
  readonly usage: string;
  readonly description: string;
  /** Meaning of each option: `{ "--port N": "where to listen" }`. */
  readonly options: Readonly<Record<string, string>>;
  /** Returns the exit code. */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

/** Formats the text of `--help`. */
export function writeHelp({ usage, description, options }: Command): string {
  const width = Math.max(0, ...Object.keys(options).map((option) => option.length));
  const lines = Object.entries(options).map(([option, meaning]) => `  ${option.padEnd(width)}  ${meaning}`);
  return [`holdfast ${usage}`, `  ${description}`, ...(lines.length > 0 ? ["", ...lines] : [])].join("\n");
}
