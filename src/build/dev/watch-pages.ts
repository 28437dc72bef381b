import { type Connect, type DevEnvironment, isRunnableDevEnvironment, type Logger, type Plugin } from "vite";
import { readApplication, slashed } from "../application-files.ts";
import { writeTypes } from "../generate-types.ts";
import { assetsModule, browserEntry, devEntry, serverEntry } from "../virtual-modules.ts";
import type { Work } from "../work.ts";
import { untilWritten } from "./whole-files.ts";

/** While developing: a page file that appears or vanishes changes the routes, the types and both entries at once. */
export function watchPages(known: () => Work): Plugin {
  /** On the clock of `performance`: when pages were last notified of a change. */
  let toldAt = 0;
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
        // A file that is gone has nothing to wait for.
        await untilWritten(file);
        try {
          work.application = await readApplication(root, work.application.at);
          await writeTypes(work.application);
        } catch (error) {
          // Two files for one path, while one is being renamed: the routes stay as they were until the names are right
          // again.
          server.config.logger.error(error instanceof Error ? error.message : String(error));
          return;
        }
        const { ssr, client } = server.environments;
        for (const environment of Object.values(server.environments)) forgetEntries(environment);
        // At once: by its messages the server would still be busy with the change before this one, and answer by the
        // old routes.
        if (ssr && isRunnableDevEnvironment(ssr)) ssr.runner.clearCache();
        toldAt = performance.now();
        client?.hot.send({ type: "full-reload" });
      };
      server.watcher.on("add", changed).on("unlink", changed);
      // A page that was requested before the last change, and missed its notification, is requested again.
      server.environments.client?.hot.on("holdfast:opened", (opened: unknown, page) => {
        if (toldAt > performance.now() - msSinceAsked(opened)) page.send({ type: "full-reload" });
      });
      // Before Vite's own, which would leave a module that cannot be compiled to the pages.
      return () => server.middlewares.use(refuseModule(server.config.logger));
    },
    /**
     * Pages that could not be shown reload. When a file changes that only the server has, the others load their data
     * again, unless it cannot be compiled.
     */
    async hotUpdate({ file, modules, server }) {
      const { ssr, client } = server.environments;
      if (this.environment !== ssr || !client) return;
      const [module] = modules;
      // What an application writes while it runs, a database for one, is no change of its sources.
      if (!module && !slashed(file).startsWith(`${known().application.root}/src/`)) return;
      const isServersOwn = module !== undefined && !client.moduleGraph.getModulesByFile(file)?.size;
      const runs = isServersOwn && (await compiles(ssr, module.url, server.config.logger));
      // After Vite has made the server forget the old module, which it does when this hook is done.
      setTimeout(() => {
        toldAt = performance.now();
        client.hot.send("holdfast:changed", {});
        if (runs) client.hot.send("holdfast:server-changed", {});
      }, 0);
    },
  };
}

function msSinceAsked(opened: unknown): number {
  const ms: unknown = typeof opened === "object" && opened !== null && Reflect.get(opened, "msSinceAsked");
  return typeof ms === "number" ? ms : 0;
}

async function compiles(environment: DevEnvironment, url: string, logger: Logger): Promise<boolean> {
  try {
    await environment.transformRequest(url);
    return true;
  } catch (error) {
    if (error instanceof Error) logger.error(error.message, { error });
    return false;
  }
}

/** Four parameters, by which it is known as the one for errors. */
function refuseModule(logger: Logger): Connect.ErrorHandleFunction {
  return (error, _incoming, response, _next) => {
    logger.error(error instanceof Error ? error.message : String(error), { error });
    response.writeHead(500, { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" });
    response.end("This module cannot be compiled; the server's terminal and the page say why.\n");
  };
}

function forgetEntries({ moduleGraph }: DevEnvironment): void {
  for (const entry of [serverEntry, browserEntry, devEntry, assetsModule]) {
    const module = moduleGraph.getModuleById(`\0${entry}`);
    if (module) moduleGraph.invalidateModule(module);
  }
}
