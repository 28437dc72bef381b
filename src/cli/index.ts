import { readEnvironmentFiles } from "#build/environment-files";
import type { ServiceCommand } from "#service";
import { type Command, writeHelp } from "./command.ts";
import { cliErrors } from "./errors.ts";
import { knownFailure } from "./known-failure.ts";
import { openTerminal, type Terminal } from "./terminal.ts";

/** For the bundle of a start, which then reads no file more. */
export { runCompiled } from "./run-compiled.ts";

/** Commands are loaded on demand: starting a server must not wait for the bundler. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  dev: async () => (await import("./dev.ts")).devCommand,
  build: async () => (await import("./build.ts")).buildCommand,
  start: async () => (await import("./start.ts")).startCommand,
  gate: async () => (await import("./gate.ts")).gateCommand,
  chaos: async () => (await import("./chaos.ts")).chaosCommand,
  routes: async () => (await import("./routes.ts")).routesCommand,
  doctor: async () => (await import("./doctor.ts")).doctorCommand,
  reproduce: async () => (await import("./reproduce.ts")).reproduceCommand,
  kept: async () => (await import("./kept.ts")).keptCommand,
  releases: async () => (await import("./releases.ts")).releasesCommand,
  types: async () => (await import("./types.ts")).typesCommand,
  service: async () => adaptServiceCommand((await import("./service.ts")).serviceWithConsoleCommand),
  mcp: async () => adaptServiceCommand((await import("#service")).mcpCommand),
  dsn: async () => adaptServiceCommand((await import("#service")).serviceCommands.dsn),
  event: async () => adaptServiceCommand((await import("#service")).serviceCommands.event),
  issues: async () => adaptServiceCommand((await import("#service")).serviceCommands.issues),
  trace: async () => adaptServiceCommand((await import("#service")).serviceCommands.trace),
  resolve: async () => adaptServiceCommand((await import("#service")).serviceCommands.resolve),
  tail: async () => adaptServiceCommand((await import("#service")).serviceCommands.tail),
  login: async () => adaptServiceCommand((await import("#service")).serviceCommands.login),
  logout: async () => adaptServiceCommand((await import("#service")).serviceCommands.logout),
  user: async () => adaptServiceCommand((await import("#service")).serviceCommands.user),
  token: async () => adaptServiceCommand((await import("#service")).serviceCommands.token),
  backup: async () => adaptServiceCommand((await import("#service")).serviceCommands.backup),
  restore: async () => adaptServiceCommand((await import("#service")).serviceCommands.restore),
  move: async () => adaptServiceCommand((await import("#service")).serviceCommands.move),
  erase: async () => adaptServiceCommand((await import("#service")).serviceCommands.erase),
  export: async () => adaptServiceCommand((await import("#service")).serviceCommands.export),
  import: async () => adaptServiceCommand((await import("#service")).serviceCommands.import),
  completion: async () => (await import("./completion.ts")).completionCommand(loadAll),
};

function loadAll(): Promise<readonly (readonly [string, Command])[]> {
  return Promise.all(Object.entries(commands).map(async ([name, load]) => [name, await load()] as const));
}

/** The `holdfast` command. Returns the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const terminal = openTerminal();
  const [name = "help", ...rest] = args;
  if (["help", "--help", "-h"].includes(name))
    return rest[0] === undefined ? help(terminal) : main([rest[0], "--help"]);
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!load) {
    terminal.warn(`There is no command "${name}".`);
    await help(terminal);
    return 2;
  }
  const command = await load();
  if (asksForHelp(rest)) {
    terminal.print(writeHelp(command));
    return 0;
  }
  try {
    const code = await command.run(rest, terminal).catch((error: unknown) => {
      throw isMisuse(error) ? cliErrors.commandMisused(firstSentence(error.message), command.usage) : error;
    });
    return terminal.hasFailed ? 1 : code;
  } catch (error) {
    const failure = knownFailure(error);
    if (failure === undefined) throw error;
    terminal.warn(failure);
    return 1;
  }
}

/** A service command uses the settings of the current folder. */
function adaptServiceCommand({ usage, description, options, run }: ServiceCommand): Command {
  return {
    usage,
    description: description,
    options,
    run: async (args, terminal) => {
      readEnvironmentFiles(".", "production");
      return run(args, terminal);
    },
  };
}

function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return args.slice(0, end < 0 ? undefined : end).some((one) => one === "--help" || one === "-h");
}

/** Whether Node rejects an option as unknown or without a value. */
function isMisuse(error: unknown): error is Error {
  return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS_");
}

function firstSentence(text: string): string {
  return `${text.split(/\.(?:\s|$)/, 1)[0]}.`;
}

async function help(terminal: Terminal): Promise<number> {
  terminal.print("Usage: holdfast COMMAND\n");
  for (const [word, load] of Object.entries(commands))
    terminal.print(`  ${word.padEnd(10)} ${(await load()).description}`);
  terminal.print("\n`holdfast COMMAND --help` shows the usage of a command.");
  return 0;
}
