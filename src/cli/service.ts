import { createServiceCommand, type ServiceCommand } from "#service";
import { boundMemory } from "./memory-bounds.ts";

/** Loads the console, and with it the whole framework, on the first visit. */
const command = createServiceCommand(
  async (deps) => {
    const { openServiceConsole } = await import("#host");
    return openServiceConsole(deps);
  },
  async (dataFolder) => {
    const { sealKeysOf } = await import("#host");
    return sealKeysOf(dataFolder);
  },
);

export const serviceWithConsoleCommand: ServiceCommand = {
  ...command,
  run: (args, print) => {
    boundMemory();
    return command.run(args, print);
  },
};
