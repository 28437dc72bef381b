import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { HoldfastError, messageOf } from "#errors";

/** Output of a command: its result, and warnings beside it. */
export interface CommandOutput {
  print(text: string): void;
  warn(text: string): void;
}

/** A subcommand of `holdfast`. */
export interface ServiceCommand {
  /** Text after `holdfast`, for example `backup FILE [--data FOLDER]`. */
  readonly usage: string;
  readonly description: string;
  /** Meaning of each option. */
  readonly options: Readonly<Record<string, string>>;
  /** Returns the exit code. */
  run(args: readonly string[], output: CommandOutput): Promise<number>;
}

/** The data folder option, the same for every command. */
export const dataOption = { "--data FOLDER": "of the service or the application; HOLDFAST_DATA, or .holdfast" };

/** The project option, the same for every command. */
export const projectOption = { "--project N": "the number of the project; 1" };

export type Options = Readonly<Record<string, string | boolean | undefined>>;

/** Splits arguments into options and the rest. The error for a wrong one includes the usage. */
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
    // Every option is declared once, so none is a list.
    return { options: values as Options, rest: positionals };
  } catch (error) {
    // Node adds advice about arguments that begin with a hyphen, which does not help.
    const [what] = messageOf(error).split(/\.(?:\s|$)/, 1);
    throw wrongUse(`${what}.`, usage);
  }
}

export function wrongUse(what: string, usage: string): HoldfastError {
  return new HoldfastError("service-command-misused", what, `Use it as: holdfast ${usage}`);
}

/** Reads a count of an option: a whole number from 1 up. */
export function countIn(value: string | boolean | undefined, otherwise: number, name: string, usage: string): number {
  const number = Number(value ?? otherwise);
  if (!Number.isSafeInteger(number) || number < 1)
    throw wrongUse(`${name} must be a whole number from 1 up, got "${value}".`, usage);
  return number;
}

export function projectIn({ project }: Options, usage: string): number {
  return countIn(project, 1, "--project", usage);
}

/**
 * Returns the data folder of a service. The named folder, or that of `HOLDFAST_DATA`, may also be an application's: its
 * service uses a subfolder, which the user need not know.
 */
export function dataFolderOf(options: Options, environment: NodeJS.ProcessEnv = process.env): string {
  const named = typeof options.data === "string" ? options.data : (environment.HOLDFAST_DATA ?? ".holdfast");
  const ofApplication = join(named, "data");
  const isOfApplication = existsSync(join(ofApplication, "projects.json"));
  return isOfApplication || named === ".holdfast" ? ofApplication : named;
}
