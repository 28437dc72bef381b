import type { Connect, DevEnvironment, Logger, Plugin } from "vite";
import { readApplication, slashed } from "../application-files.ts";
import { assetsModule, browserEntry, devEntry, serverEntry } from "../entries.ts";
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
        if (!path.startsWith(`${pagesFolder}/`) && !/^\/src\/(?:request|env)\.server\./.test(path.slice(root.length)))
          return;
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
      // For pages that could not begin: whatever has changed may be what they lacked.
      server.watcher.on("change", () => server.environments.client?.hot.send("holdfast:changed", {}));
      // Before Vite's own, which would leave a module that cannot be compiled to the pages.
      return () => server.middlewares.use(refuseModule(server.config.logger));
    },
    /** A file of the server that no browser has: pages fetch their data anew, unless it cannot be compiled. */
    async hotUpdate({ file, modules, server }) {
      const { ssr, client } = server.environments;
      const [module] = modules;
      if (this.environment !== ssr || !module || !client || client.moduleGraph.getModulesByFile(file)?.size) return;
      try {
        await ssr.transformRequest(module.url);
      } catch (error) {
        if (error instanceof Error) server.config.logger.error(error.message, { error });
        return;
      }
      // After Vite has made the server forget the old module, which it does when this hook is done.
      setTimeout(() => client.hot.send("holdfast:server-changed", {}), 0);
    },
  };
}

/** Four parameters, by which it is known as the one for errors. */
function refuseModule(logger: Logger): Connect.ErrorHandleFunction {
  return (error, _incoming, response, _next) => {
    logger.error(error instanceof Error ? error.message : String(error), { error });
    response.writeHead(500, { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" });
    response.end("This module cannot be compiled; the server's terminal and the page say why.\n");
  };
}

function forgetEntries({ moduleGraph, hot }: DevEnvironment): void {
  for (const entry of [serverEntry, browserEntry, devEntry, assetsModule]) {
    const module = moduleGraph.getModuleById(`\0${entry}`);
    if (module) moduleGraph.invalidateModule(module);
  }
  hot.send({ type: "full-reload" });
}
