import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { HoldfastError } from "#errors";

/** Where a command prints: what was asked for, and beside it what its reader should know. */
export interface CommandOutput {
  print(text: string): void;
  warn(text: string): void;
}

/** One word after `holdfast`. */
export interface ServiceCommand {
  /** What follows `holdfast`: `backup FILE [--data FOLDER]`. */
  readonly usage: string;
  readonly says: string;
  /** What each option means. */
  readonly options: Readonly<Record<string, string>>;
  /** Returns the exit code. */
  run(args: readonly string[], output: CommandOutput): Promise<number>;
}

/** Where a service keeps what it has, as every command calls it. */
export const dataOption = { "--data FOLDER": "of the service or the application; HOLDFAST_DATA, or .holdfast" };

export type Options = Readonly<Record<string, string | boolean | undefined>>;

/** Splits arguments into options and the rest. A wrong one is named together with how the command is used. */
export function readArguments(
  args: readonly string[],
  options: Readonly<Record<string, "text" | "switch">>,
  usage: string,
): { options: Options; rest: readonly string[] } {
  try {
    const known = Object.fromEntries(
      Object.entries(options).map(([name, kind]) => [
        name,
        { type: kind === "text" ? ("string" as const) : ("boolean" as const) },
      ]),
    );
    const { values, positionals } = parseArgs({ args: [...args], options: known, allowPositionals: true });
    // Every option is declared once, so that none of them can be a list.
    return { options: values as Options, rest: positionals };
  } catch (error) {
    // Node adds advice about arguments that begin with a hyphen, which does not help here.
    const [what] = (error instanceof Error ? error.message : String(error)).split(/\.(?:\s|$)/, 1);
    throw wrongUse(`${what}.`, usage);
  }
}

export function wrongUse(what: string, usage: string): HoldfastError {
  return new HoldfastError("service-command-misused", what, `Use it as: holdfast ${usage}`);
}

/**
 * Where a service keeps what it has. The folder that is named, or that `HOLDFAST_DATA` names, may also be the one of an
 * application: its service has a part of it; a person should not have to know which.
 */
export function dataFolderOf(options: Options, environment: NodeJS.ProcessEnv = process.env): string {
  const named = typeof options.data === "string" ? options.data : (environment.HOLDFAST_DATA ?? ".holdfast");
  const ofApplication = join(named, "data");
  const isOfApplication = existsSync(join(ofApplication, "projects.json"));
  return isOfApplication || named === ".holdfast" ? ofApplication : named;
}
