import { createServiceCommand } from "#service";

/** The console loads the whole framework, so a service without visitors of its console does not load it. */
export const serviceWithConsoleCommand = createServiceCommand(async (parts) => {
  const { openServiceConsole } = await import("#host");
  return openServiceConsole(parts);
});
