import type { Accounts } from "../../accounts/accounts.ts";
import type { ConsoleApi } from "../../console-api/console-api.ts";
import type { InProject } from "../operations/shared-types.ts";
import { type ApiSchema, shape, text } from "../schema/schema.ts";
import { projectNumber } from "./shared-schemas.ts";

export const email: ApiSchema<string> = text({ min: 3, max: 254 });
export const inPerson: ApiSchema<InProject & { readonly email: string }> = shape({ project: projectNumber, email });

export const noAccounts = {
  kind: "conflict",
  why: "The application signs people in, and decides about their roles.",
} as const;

/** Undefined where the service has no accounts of its own. */
export function accountsOf({ access }: ConsoleApi): Accounts | undefined {
  return access.kind === "accounts" ? access.accounts : undefined;
}
