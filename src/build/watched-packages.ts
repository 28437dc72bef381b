import type { Plugin } from "vite";

/** The files of `pg` that send queries and hand out connections. */
const ofPostgres = /[\\/]pg[\\/]lib[\\/](?:native[\\/])?client\.js$|[\\/]pg-pool[\\/]index\.js$/;

/**
 * A package whose calls belong into traces tells reporting when it is loaded: a line at its end says so. A server that
 * loads the package itself, as it does while developing, puts the same line there
 * (`src/reporting/server/watch/watch-postgres.ts`).
 */
export function watchedPackages(): Plugin {
  return {
    name: "holdfast:watched-packages",
    apply: "build",
    sharedDuringBuild: true,
    applyToEnvironment: ({ name }) => name === "ssr",
    transform: {
      filter: { id: ofPostgres },
      // At the end, so that the lines before it keep their places and need no map.
      handler: (code) => ({ code: `${code}\n;globalThis.__holdfast_pg?.(module.exports);\n`, map: null }),
    },
  };
}
