import { cliErrors } from "./errors.ts";

interface Command {
  says: string;
  run(args: readonly string[]): Promise<number>;
}

/** Each command is loaded when it is called: starting a server must not wait for the bundler. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  dev: async () => (await import("./dev.ts")).devCommand,
  build: async () => (await import("./build.ts")).buildCommand,
  start: async () => (await import("./start.ts")).startCommand,
  chaos: async () => (await import("./chaos.ts")).chaosCommand,
  routes: async () => (await import("./routes.ts")).routesCommand,
  doctor: async () => (await import("./doctor.ts")).doctorCommand,
  reproduce: async () => (await import("./reproduce.ts")).reproduceCommand,
  types: async () => (await import("./types.ts")).typesCommand,
  service: async () => (await import("./service.ts")).serviceWithConsoleCommand,
  dsn: async () => (await import("#service")).dsnCommand,
  event: async () => (await import("#service")).eventCommand,
  issues: async () => (await import("#service")).issuesCommand,
  user: async () => (await import("#service")).userCommand,
  backup: async () => (await import("#service")).backupCommand,
  restore: async () => (await import("#service")).restoreCommand,
};

/** The `holdfast` command. Returns the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const [name = "help", ...rest] = args;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) return help(name);
  const found = await command();
  try {
    return await found.run(rest).catch((error: unknown) => {
      // What a command says of itself begins with how it is used.
      const [usage] = found.says.split("  ", 1);
      throw isMisuse(error) ? cliErrors.commandMisused(firstSentence(error.message), `${name} ${usage}`) : error;
    });
  } catch (error) {
    // By its name: an application has its own copy of the class.
    if (!(error instanceof Error && error.name === "HoldfastError")) throw error;
    console.error(error.message);
    return 1;
  }
}

/** Node's own words for an option that is not known or lacks its value. */
function isMisuse(error: unknown): error is Error {
  return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS_");
}

function firstSentence(text: string): string {
  return `${text.split(/\.(?:\s|$)/, 1)[0]}.`;
}

async function help(name: string): Promise<number> {
  const asked = name === "help" || name === "--help" || name === "-h";
  if (!asked) console.error(`There is no command "${name}".`);
  console.log("Usage: holdfast COMMAND\n");
  for (const [word, load] of Object.entries(commands)) console.log(`  ${word.padEnd(10)} ${(await load()).says}`);
  return asked ? 0 : 2;
}
