import type { ShownFilter } from "../../console-api/filters-api.ts";
import type { KeyStep } from "../../console-api/keys-api.ts";
import type { ScrubRuleWish, ScrubTrial } from "../../console-api/scrub-api.ts";
import type { SpikesApi } from "../../console-api/spikes-api.ts";
import type { FilterKind } from "../../intake/filters.ts";
import type { ProjectScrubRule } from "../../intake/scrub-rules.ts";
import type { SpikeRules } from "../../intake/spike-rules.ts";
import type { QueryFinding } from "../../queries/slow-queries.ts";
import type { SpansAnswer } from "../../queries/spans.ts";
import type { ApiKey, ById, InIssue, InProject } from "./shared-types.ts";

/** A key with its limits and its last use. */
export interface ApiKeyDetails extends ApiKey {
  readonly name: string;
  readonly isMain: boolean;
  readonly isDisabled: boolean;
  readonly origins: readonly string[];
  readonly refused: number;
  readonly createdAt?: number | undefined;
  readonly perMinute?: number | undefined;
  readonly lastUsedAt?: number | undefined;
}

export interface KeyBody {
  readonly name: string;
  readonly origins: readonly string[];
  readonly perMinute?: number | undefined;
}

export type ScrubRuleBody = ScrubRuleWish;

export type SpikeBody = SpikeRules;

export interface FilteredQuery {
  /** In the filter language. */
  readonly q: string;
  readonly days: number;
}

export type ApiSpike = NonNullable<ReturnType<SpikesApi["recent"]>>;

export interface IntakeOperations {
  "GET /projects/{project}/keys": { params: InProject; response: { readonly items: readonly ApiKeyDetails[] } };
  "GET /projects/{project}/limit": { params: InProject; response: { readonly perMinute?: number | undefined } };
  "PUT /projects/{project}/limit": { params: InProject; body: { readonly perMinute?: number | undefined } };
  "POST /projects/{project}/keys": { params: InProject; body: KeyBody; response: ApiKey };
  "PUT /projects/{project}/keys/{id}": { params: ById; body: KeyBody };
  "POST /projects/{project}/keys/{id}/changes": { params: ById; body: { readonly change: KeyStep } };
  "GET /projects/{project}/filters": { params: InProject; response: { readonly items: readonly ShownFilter[] } };
  "POST /projects/{project}/filters": {
    params: InProject;
    body: { readonly kind: FilterKind; readonly pattern: string };
    response: { readonly id: string };
  };
  "DELETE /projects/{project}/filters/{id}": { params: ById };
  "GET /projects/{project}/scrub-rules": {
    params: InProject;
    response: { readonly items: readonly ProjectScrubRule[] };
  };
  "POST /projects/{project}/scrub-rules": {
    params: InProject;
    body: ScrubRuleBody;
    response: { readonly id: string };
  };
  "POST /projects/{project}/scrub-rules/trial": {
    params: InProject;
    body: ScrubRuleBody;
    response: { readonly items: readonly ScrubTrial[] };
  };
  "DELETE /projects/{project}/scrub-rules/{id}": { params: ById };
  "GET /projects/{project}/spikes": {
    params: InProject;
    response: { readonly rules: SpikeRules; readonly recent?: ApiSpike | undefined };
  };
  "PUT /projects/{project}/spikes": { params: InProject; body: SpikeBody };
  "POST /projects/{project}/issues/{number}/ticket": {
    params: InIssue;
    body: { readonly address?: string | undefined };
  };
  "GET /projects/{project}/spans": { params: InProject; query: FilteredQuery; response: SpansAnswer };
  "GET /projects/{project}/slow-queries": {
    params: InProject;
    query: FilteredQuery;
    response: { readonly items: readonly QueryFinding[] };
  };
}
