import type { ErasureReport } from "../../erasures/erasure-reports.ts";
import type { ErasureCounts } from "../../stores/erase/erasure.ts";
import type { InProject } from "./shared-types.ts";

/** What is to be forgotten. */
export type ApiErasure =
  | { readonly what: "visitor"; readonly identity: string }
  | { readonly what: "event"; readonly id: string }
  | { readonly what: "issue"; readonly number: number }
  | { readonly what: "project" };

export type ApiErasureReport = Omit<ErasureReport, "project">;

export interface ErasureOperations {
  "GET /projects/{project}/erasures": { params: InProject; response: { readonly items: readonly ApiErasureReport[] } };
  "POST /projects/{project}/erasures": { params: InProject; body: ApiErasure; response: ApiErasureReport };
  "POST /projects/{project}/visitor-exports": { params: InProject; body: { readonly identity: string } };
  "POST /projects/{project}/erasures/plan": { params: InProject; body: ApiErasure; response: ErasureCounts };
}
