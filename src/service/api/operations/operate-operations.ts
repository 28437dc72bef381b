import type { ServiceSettings } from "../../administration/service-settings.ts";
import type { Storage } from "../../console-api/console-api.ts";
import type { HealingApi } from "../../console-api/healing-api.ts";
import type { KeptApi, KeptList } from "../../console-api/kept-api.ts";
import type { Scope } from "../../tokens/scopes.ts";
import type { ById, InProject } from "./shared-types.ts";

export interface ApiToken {
  readonly id: number;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly created: number;
  readonly by: string;
  readonly expires?: number | undefined;
  /** The last use, to the minute. */
  readonly used?: number | undefined;
}

export interface TokenBody {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expires?: number | undefined;
}

export interface NewApiToken {
  readonly token: ApiToken;
  /** It is here and nowhere else. */
  readonly secret: string;
}

export type KeptWhole = NonNullable<Awaited<ReturnType<KeptApi["show"]>>>;

export type KeptResult = Awaited<ReturnType<KeptApi["run"]>>[number];

export type HealingStatus = NonNullable<Awaited<ReturnType<HealingApi["status"]>>>;

export interface OperateOperations {
  "GET /me/tokens": { response: { readonly items: readonly ApiToken[] } };
  "POST /me/tokens": { body: TokenBody; response: NewApiToken };
  "DELETE /me/tokens/{token}": { params: { readonly token: number } };
  "GET /projects/{project}/tokens": { params: InProject; response: { readonly items: readonly ApiToken[] } };
  "POST /projects/{project}/tokens": { params: InProject; body: TokenBody; response: NewApiToken };
  "DELETE /projects/{project}/tokens/{token}": { params: InProject & { readonly token: number } };
  "GET /projects/{project}/kept": {
    params: InProject;
    query: { readonly all: boolean; readonly limit: number; readonly issue?: number | undefined };
    response: KeptList;
  };
  "GET /projects/{project}/kept/{id}": { params: ById; response: KeptWhole };
  "POST /projects/{project}/kept/run": {
    params: InProject;
    body: {
      readonly names: readonly string[];
      readonly trial?: boolean | undefined;
      readonly evenIfUnsure?: boolean | undefined;
    };
    response: { readonly items: readonly KeptResult[] };
  };
  "DELETE /projects/{project}/kept/{id}": { params: ById };
  "GET /projects/{project}/healing": { params: InProject; response: HealingStatus };
  "PUT /projects/{project}/healing": {
    params: InProject;
    body: { readonly route: string; readonly to?: "new" | "before" | undefined };
  };
  "POST /projects/{project}/scrub": {
    params: InProject;
    body: { readonly text: string; readonly rules: ServiceSettings["scrub"] };
    response: { readonly left: string };
  };
  "GET /settings": { response: ServiceSettings };
  "PUT /settings": { body: ServiceSettings; response: ServiceSettings };
  "GET /storage": { response: Storage };
}
