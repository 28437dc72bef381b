import type { MaybePromise } from "../maybe-promise.ts";

type PageCacheModule = typeof import("./page-cache.ts");

let loaded: PageCacheModule | undefined;

/** The cache of pages, which is loaded with the first page that has one. */
export function loadPageCache(): MaybePromise<PageCacheModule> {
  if (loaded) return loaded;
  return import("./page-cache.ts").then((module) => {
    loaded = module;
    return module;
  });
}

export function pageCacheIfLoaded(): PageCacheModule | undefined {
  return loaded;
}
