/** Exports for `holdfast/service`: the API from a program. */
export { type ApiClient, type ApiClientOptions, type ApiInput, type ApiResponse, createApiClient } from "./client.ts";
export type { ApiOperations } from "./operations/api-operations.ts";
