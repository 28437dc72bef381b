import { createServiceCommand } from "#service";

/** The console brings the whole framework along; a service that nobody looks into does without it. */
export const serviceWithConsoleCommand = createServiceCommand(async (parts) => {
  const { openServiceConsole } = await import("#host");
  return openServiceConsole(parts);
});
