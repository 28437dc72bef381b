import type { Plugin } from "vite";

/** Vite wraps every `import()` of a page with this module, which fetches its styles and imports in parallel. */
const helperId = "\0vite/preload-helper.js";

/**
 * Replaces Vite's helper with a third of the bytes: the original is most of a kilobyte on every first load, for
 * addresses and browsers that are not supported. A page whose styles cannot be fetched fails with the same message, and
 * a retry starts over.
 */
export function smallPreloadHelper(): Plugin {
  let base = "/";
  return {
    name: "holdfast:preload-helper",
    sharedDuringBuild: true,
    configResolved(config) {
      base = config.base;
    },
    transform: {
      order: "pre",
      filter: { id: /^\0vite\/preload-helper\.js$/ },
      handler: (_code, id) =>
        id === helperId && /^(?:\/|https?:)/.test(base)
          ? { code: helperCode(base), map: null, moduleSideEffects: false }
          : null,
    },
  };
}

function helperCode(base: string): string {
  return `const requested = {};
const request = (file) => requested[file] ??= new Promise((done, fail) => {
  const link = document.createElement("link");
  const href = link.href = ${JSON.stringify(base)} + file;
  if (document.querySelector(\`link[href="\${href}"]\`)) return done();
  if (file.endsWith(".css")) {
    link.rel = "stylesheet";
    link.onload = done;
  } else {
    link.rel = "modulepreload";
    done();
  }
  link.onerror = () => {
    delete requested[file];
    link.remove();
    fail(Error("Unable to preload CSS " + href));
  };
  document.head.append(link);
});
export const __vitePreload = (load, files = []) => Promise.all(files.map(request)).then(load);
`;
}
