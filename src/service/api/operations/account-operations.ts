import type { FactorState } from "../../accounts/second-factor/second-factor.ts";
import type { OwnSession } from "../../accounts/sessions.ts";
import type { InProject } from "./shared-types.ts";

/** Whether codes of an authenticator app are asked for. Secrets and codes are in no response. */
export type ApiSecondFactor = FactorState & {
  /** The operator demands it of all people who sign in by a password. */
  readonly isRequired: boolean;
};

export interface AccountOperations {
  "PATCH /me": { body: { readonly name: string } };
  "GET /me/sessions": { response: { readonly items: readonly OwnSession[] } };
  "POST /me/sessions/end-others": { response: { readonly ended: number } };
  "DELETE /me/sessions/{session}": { params: { readonly session: string } };
  "GET /me/second-factor": { response: ApiSecondFactor };
  "POST /projects/{project}/people/{email}/end-sessions": { params: InProject & { readonly email: string } };
}
