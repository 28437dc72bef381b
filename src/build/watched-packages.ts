import type { Plugin } from "vite";

/** Files of `pg` that send queries and manage connections. */
const ofPostgres = /[\\/]pg[\\/]lib[\\/](?:native[\\/])?client\.js$|[\\/]pg-pool[\\/]index\.js$/;

/**
 * Adds a line to packages whose calls belong into traces; it passes the package to reporting when it loads. A server
 * that loads the package itself, as in development, adds the same line
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
      // Appended, so that earlier lines keep their positions and need no source map.
      handler: (code) => ({ code: `${code}\n;globalThis.__holdfast_pg?.(module.exports);\n`, map: null }),
    },
  };
}
