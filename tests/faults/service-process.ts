import { serviceCommand } from "../../src/service/commands/service-command.ts";

/** The service as a separate process, for tests that kill it, starve it or measure its memory. */
process.exitCode = await serviceCommand.run(process.argv.slice(2), { print: console.log, warn: console.error });
