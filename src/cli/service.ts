import { createServiceCommand, type ServiceCommand } from "#service";
import { boundMemory } from "./memory-bounds.ts";

/** The console loads the whole framework, so a service without visitors of its console does not load it. */
const command = createServiceCommand(async (parts) => {
  const { openServiceConsole } = await import("#host");
  return openServiceConsole(parts);
});

export const serviceWithConsoleCommand: ServiceCommand = {
  ...command,
  run: (args, print) => {
    boundMemory();
    return command.run(args, print);
  },
};
