import type { Plugin } from "vite";
import { slashed } from "./application-files.ts";
import { withoutQuery } from "./guards/import-chain.ts";
import { applicationPathModule } from "./own-package.ts";

/**
 * Tells the framework's code, in the browser and on the server, below which path the application lives. A constant
 * instead of a setting at run time: an application that has the host to itself carries none of the code for it.
 */
export function placeApplication(at: string): Plugin {
  return {
    name: "holdfast:application-path",
    sharedDuringBuild: true,
    enforce: "pre",
    load: {
      filter: { id: /application-path/ },
      handler: (id) =>
        at !== "" && slashed(withoutQuery(id)) === slashed(applicationPathModule)
          ? `export const applicationPath = ${JSON.stringify(at)};\n`
          : undefined,
    },
  };
}
