import type { OwnershipAnswer, OwnershipTrial, RuleOfIssue } from "../../console-api/ownership-api.ts";
import type { InIssue, InProject } from "./shared-types.ts";

export interface OwnershipBody {
  readonly rules: string;
}

export interface OwnershipOperations {
  "GET /projects/{project}/ownership": { params: InProject; response: OwnershipAnswer };
  "PUT /projects/{project}/ownership": { params: InProject; body: OwnershipBody; response: OwnershipAnswer };
  "POST /projects/{project}/ownership/trial": {
    params: InProject;
    body: OwnershipBody;
    response: { readonly items: readonly OwnershipTrial[] };
  };
  "POST /projects/{project}/ownership/codeowners": {
    params: InProject;
    body: { readonly file: string };
    response: OwnershipBody;
  };
  "GET /projects/{project}/issues/{number}/owner": {
    params: InIssue;
    response: { readonly owner?: RuleOfIssue | undefined };
  };
}
