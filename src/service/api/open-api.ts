import type { ApiDeps, HandleApi } from "./handle-api-request.ts";

/** Loads the API, which most processes never need. */
export async function openApiHandler(deps: ApiDeps): Promise<HandleApi> {
  const { createApiHandler } = await import("./handle-api-request.ts");
  return createApiHandler(deps);
}
