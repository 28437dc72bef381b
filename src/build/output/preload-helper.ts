import type { Plugin } from "vite";

/**
 * Vite puts this module around every `import()` of a page, so that its styles and what it imports are fetched beside it
 * and not after it.
 */
const helperId = "\0vite/preload-helper.js";

/**
 * The same in a third of the bytes: Vite's own is most of a kilobyte on every first load, for addresses and browsers
 * that we do not have. A page whose styles cannot be fetched fails with the same words, and another attempt starts from
 * the beginning.
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
        id === helperId && base.startsWith("/")
          ? { code: helperCode(base), map: null, moduleSideEffects: false }
          : null,
    },
  };
}

function helperCode(base: string): string {
  return `const asked = {};
const ask = (file) => asked[file] ??= new Promise((done, fail) => {
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
    delete asked[file];
    link.remove();
    fail(Error("Unable to preload CSS " + href));
  };
  document.head.append(link);
});
export const __vitePreload = (load, files = []) => Promise.all(files.map(ask)).then(load);
`;
}
