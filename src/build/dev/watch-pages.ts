import type { DevEnvironment, Plugin } from "vite";
import { readApplication, slashed } from "../application-files.ts";
import { assetsModule, browserEntry, serverEntry } from "../entries.ts";
import { writeTypes } from "../generate-types.ts";
import type { Work } from "../work.ts";

/** While developing: a page file that appears or vanishes changes the routes, the types and both entries at once. */
export function watchPages(known: () => Work): Plugin {
  return {
    name: "holdfast:watch-pages",
    apply: "serve",
    configureServer(server) {
      const changed = async (file: string): Promise<void> => {
        const work = known();
        const { root, pagesFolder } = work.application;
        const path = slashed(file);
        if (!path.startsWith(`${pagesFolder}/`) && !path.startsWith(`${root}/src/request.server.`)) return;
        try {
          work.application = await readApplication(root, work.application.at);
          await writeTypes(work.application);
        } catch (error) {
          // Two files for one path, while one is being renamed: the routes stay as they were until the names are right again.
          server.config.logger.error(error instanceof Error ? error.message : String(error));
          return;
        }
        for (const environment of Object.values(server.environments)) forgetEntries(environment);
      };
      server.watcher.on("add", changed).on("unlink", changed);
    },
  };
}

function forgetEntries({ moduleGraph, hot }: DevEnvironment): void {
  for (const entry of [serverEntry, browserEntry, assetsModule]) {
    const module = moduleGraph.getModuleById(`\0${entry}`);
    if (module) moduleGraph.invalidateModule(module);
  }
  hot.send({ type: "full-reload" });
}
