import type { Role } from "../../accounts/people.ts";
import type { Scope } from "../../tokens/scopes.ts";
import type { ApiKey, InProject, Page, PageQuery } from "./shared-types.ts";

export interface Me {
  readonly name: string;
  /** Of the token. Absent for a session. */
  readonly scopes?: readonly Scope[] | undefined;
  readonly projects: readonly { readonly id: number; readonly name: string; readonly role: Role }[];
}

export interface ApiProject {
  readonly id: number;
  readonly name: string;
  /** Template of links to lines of the repository. */
  readonly sourceLink?: string | undefined;
}

export interface ApiPerson {
  readonly email: string;
  readonly name?: string | undefined;
  readonly role: Role;
  /** Has this role in every project, so that no single project can change it. */
  readonly everywhere: boolean;
}

export interface ApiAuditEntry {
  readonly at: number;
  readonly by: string;
  readonly what: string;
}

export interface ProjectOperations {
  "GET /me": { response: Me };
  "GET /projects": { response: { readonly items: readonly ApiProject[] } };
  "POST /projects": { body: { readonly name: string }; response: ApiProject };
  "GET /projects/{project}": { params: InProject; response: ApiProject };
  "PATCH /projects/{project}": {
    params: InProject;
    body: { readonly name?: string | undefined; readonly sourceLink?: string | undefined };
    response: ApiProject;
  };
  "POST /projects/{project}/keys/renew": { params: InProject; response: ApiKey };
  "GET /projects/{project}/people": {
    params: InProject;
    response: {
      readonly items: readonly ApiPerson[];
      readonly invites: readonly { readonly email: string; readonly role: Role; readonly ends: number }[];
    };
  };
  "POST /projects/{project}/people": {
    params: InProject;
    body: { readonly email: string; readonly role: Role };
    response: { readonly link: string };
  };
  "PUT /projects/{project}/people/{email}": {
    params: InProject & { readonly email: string };
    body: { readonly role: Role };
  };
  "DELETE /projects/{project}/people/{email}": { params: InProject & { readonly email: string } };
  "GET /projects/{project}/audit": { params: InProject; query: PageQuery; response: Page<ApiAuditEntry> };
}
