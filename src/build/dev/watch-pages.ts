import { type Connect, type DevEnvironment, isRunnableDevEnvironment, type Logger, type Plugin } from "vite";
import { messageOf } from "#errors";
import { readApplication, slashed } from "../application-files.ts";
import { writeTypes } from "../generate-types.ts";
import { actionsIn } from "../guards/server-code.ts";
import { assetsModule, browserEntry, devEntry, laterModule, serverEntry } from "../virtual-modules.ts";
import type { Work } from "../work.ts";
import { untilWritten } from "./whole-files.ts";

/** In development, a page file that is added or deleted updates the routes, the types and both entries. */
export function watchPages(known: () => Work): Plugin {
  /** Time of the last notification to pages, on the clock of `performance`. */
  let notifiedAt: number | undefined;
  return {
    name: "holdfast:watch-pages",
    apply: "serve",
    configureServer(server) {
      const changed = async (file: string): Promise<void> => {
        const work = known();
        const { root, pagesFolder } = work.application;
        const path = slashed(file);
        if (
          !path.startsWith(`${pagesFolder}/`) &&
          actionsIn(root, path) === undefined &&
          !/^\/src\/(?:(?:request|schedules|lifecycle|env)\.server|matchers)\.[jt]s$/.test(path.slice(root.length))
        )
          return;
        // A deleted file counts as written.
        await untilWritten(file);
        try {
          work.application = await readApplication(root, work.application.at);
          await writeTypes(work.application);
        } catch (error) {
          // Two files may have one path while one is being renamed: the old routes stay until the names are valid.
          server.config.logger.error(messageOf(error));
          return;
        }
        const { ssr, client } = server.environments;
        for (const environment of Object.values(server.environments)) forgetEntries(environment);
        // Cleared directly: with messages, the server could still be processing the previous change and answer with the
        // old routes.
        if (ssr && isRunnableDevEnvironment(ssr)) ssr.runner.clearCache();
        notifiedAt = performance.now();
        client?.hot.send({ type: "full-reload" });
      };
      server.watcher.on("add", changed).on("unlink", changed);
      // Its exports decide which routes match, in the server and in open pages.
      server.watcher.on("change", (file) => {
        if (slashed(file) === known().application.matchers) void changed(file);
      });
      // A page may have missed the notification of the last change. It compares that time with its request.
      server.environments.client?.hot.on("holdfast:opened", (asked: unknown, page) => {
        if (notifiedAt === undefined) return;
        page.send("holdfast:last-change", { asked, msAgo: performance.now() - notifiedAt });
      });
      // Runs before Vite's own, which would leave modules that cannot be compiled to the pages.
      return () => server.middlewares.use(refuseModule(server.config.logger));
    },
    /**
     * Reloads pages that could not be shown. When a file of the server alone changes and compiles, the other pages load
     * their data again.
     */
    async hotUpdate({ file, modules, server }) {
      const { ssr, client } = server.environments;
      if (this.environment !== ssr || !client) return;
      const [module] = modules;
      // Files that an application writes while it runs, such as a database, are no source changes.
      if (!module && !slashed(file).startsWith(`${known().application.root}/src/`)) return;
      const isServersOwn = module !== undefined && !client.moduleGraph.getModulesByFile(file)?.size;
      const runs = isServersOwn && (await compiles(ssr, module.url, server.config.logger));
      // Runs after this hook, when Vite has removed the old module from the server.
      setTimeout(() => {
        notifiedAt = performance.now();
        client.hot.send("holdfast:changed", {});
        if (runs) client.hot.send("holdfast:server-changed", {});
      }, 0);
    },
  };
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

/** Connect recognizes error handlers by their four parameters. */
function refuseModule(logger: Logger): Connect.ErrorHandleFunction {
  return (error, _incoming, response, _next) => {
    logger.error(messageOf(error), { error });
    response.writeHead(500, { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" });
    response.end("This module cannot be compiled; the server's terminal and the page say why.\n");
  };
}

function forgetEntries({ moduleGraph }: DevEnvironment): void {
  for (const entry of [serverEntry, browserEntry, devEntry, laterModule, assetsModule]) {
    const module = moduleGraph.getModuleById(`\0${entry}`);
    if (module) moduleGraph.invalidateModule(module);
  }
}
