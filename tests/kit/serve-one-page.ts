import type { NamedSchedule } from "#pages";
import { type RunningServer, serve } from "../../src/host/serve.ts";

/** The host with an application of one page, whose data is in its own folder. */
export function serveOnePage(
  folder: string,
  { schedules = [], development = false }: { schedules?: readonly NamedSchedule[]; development?: boolean } = {},
): Promise<RunningServer> {
  return serve(
    {
      root: folder,
      config: {},
      development,
      files: { build: "b1", has: () => false, serve: () => false },
      openPages: async () => ({
        build: "b1",
        handle: (_incoming, response) => void response.end("page"),
        owns: () => true,
        upgrade: () => undefined,
        warm: async () => undefined,
        schedules: async () => schedules,
        lifecycle: async () => ({}),
      }),
    },
    { port: 0, nextFreePort: false, host: "127.0.0.1", dataFolder: folder },
  );
}
