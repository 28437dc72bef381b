import type { Lazy } from "../../parts.ts";

/** A bare `import(url)`. Only generated code has one: TypeScript puts a function of its own around it. */
export type ImportFrom = (url: string) => Promise<object>;

/** `name` is an export that the module has; without it, `default`. */
export type Import = <Module>(load: Lazy<Module>, name?: string) => Promise<Module>;

/** Chromium's words. Only the path is taken: code comes from the page's own origin. */
const failedFetch = /^TypeError: Failed to fetch dynamically imported module: \w+:\/\/[^/]+(\/[^/]\S*)$/;

/**
 * Imports modules that may have failed before. Chromium 150 (unlike 156) remembers a failed fetch as long as the
 * document lives: the address fails again without a request. With a query it is another address of the same file.
 */
export function createImport(importFrom: ImportFrom): Import {
  let turn = 0;
  const failedIn: Record<string, number> = {};
  return <Module>(load: Lazy<Module>, name = "default") => {
    turn += 1;
    const started = turn;
    return load().catch(async (error: unknown) => {
      const path = failedFetch.exec(String(error))?.[1];
      if (!path) throw error;
      // Two who wait for the same fetch fail together: that is one failure.
      const isAgain = (failedIn[path] ?? started) < started;
      failedIn[path] = turn;
      const module = isAgain ? await importFrom(`${path}?${started}`) : {};
      // In a file that several pages share, the bundler gives exports other names, which only `load` knows.
      if (!(name in module)) throw error;
      return module as Module;
    });
  };
}
