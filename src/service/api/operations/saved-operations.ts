import type { SavedSearch, SearchScreen } from "../../administration/saved-searches.ts";
import type { ById, InIssue, InProject } from "./shared-types.ts";

export interface ApiSavedSearch extends Omit<SavedSearch, "project" | "owner"> {
  /** Everyone in the project sees it. */
  readonly isShared: boolean;
}

export interface SavedSearchBody {
  readonly screen: SearchScreen;
  readonly name: string;
  readonly search: string;
  readonly isShared?: boolean | undefined;
}

export interface SavedOperations {
  "GET /projects/{project}/searches": { params: InProject; response: { readonly items: readonly ApiSavedSearch[] } };
  "POST /projects/{project}/searches": { params: InProject; body: SavedSearchBody; response: ApiSavedSearch };
  "PATCH /projects/{project}/searches/{id}": { params: ById; body: { readonly name: string } };
  "DELETE /projects/{project}/searches/{id}": { params: ById };
  "GET /projects/{project}/ticket-template": {
    params: InProject;
    response: {
      readonly template: string;
      readonly known: readonly { readonly name: string; readonly template: string }[];
    };
  };
  "PUT /projects/{project}/ticket-template": { params: InProject; body: { readonly template: string } };
  "GET /projects/{project}/issues/{number}/new-ticket": {
    params: InIssue;
    response: { readonly address: string };
  };
  "GET /projects/{project}/upload-tokens": {
    params: InProject;
    response: { readonly items: readonly { readonly name: string; readonly createdAt: number }[] };
  };
  "POST /projects/{project}/upload-tokens": {
    params: InProject;
    body: { readonly name: string };
    response: { readonly token: string };
  };
  "DELETE /projects/{project}/upload-tokens/{name}": { params: InProject & { readonly name: string } };
}
