import type { Plugin } from "vite";
import { actionsIn, isServerFile } from "./guards/server-code.ts";
import { actionsModule } from "./virtual-modules.ts";

/**
 * A component imports `actions` of a file `*.actions.server.ts`. It gets the start of their names instead, in the
 * browser and on the server, so that none of the file's code is loaded with it. Server files get the file itself.
 */
export function actionFiles(root: () => string): Plugin {
  return {
    name: "holdfast:action-files",
    sharedDuringBuild: true,
    enforce: "pre",
    resolveId: {
      filter: { id: /\.actions\.server(?:\.[jt]sx?)?$/ },
      async handler(source, importer, options) {
        if (importer === undefined || importer.startsWith("\0") || isServerFile(root(), importer)) return undefined;
        const resolved = await this.resolve(source, importer, { ...options, skipSelf: true });
        const start = resolved ? actionsIn(root(), resolved.id) : undefined;
        return start === undefined ? resolved : `\0${actionsModule}${start}`;
      },
    },
    load: {
      filter: { id: /^\0virtual:holdfast\/actions\// },
      handler: (id) => `export const actions = { "~start": ${JSON.stringify(id.slice(actionsModule.length + 1))} };\n`,
    },
  };
}
