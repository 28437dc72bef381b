import { normalEmail } from "../email.ts";

/** A person as the identity provider describes them. */
export interface ProviderIdentity {
  readonly issuer: string;
  /** Names the person at the issuer, for ever. An e-mail address may change. */
  readonly subject: string;
  readonly email: string;
  /** The provider says that the address belongs to the person. */
  readonly isVerified: boolean;
  readonly name: string | undefined;
  readonly groups: readonly string[];
}

/** More groups than a directory gives to a person. The rest is ignored. */
const mostGroups = 2_000;

/** Undefined without an address. Providers say `false` of an address that a person has only typed in. */
export function readIdentity(
  claims: Readonly<Record<string, unknown>>,
  groupsClaim: string,
): ProviderIdentity | undefined {
  const { iss, sub, email, email_verified: verified, name } = claims;
  const address = typeof email === "string" ? normalEmail(email) : undefined;
  if (typeof iss !== "string" || typeof sub !== "string" || address === undefined) return undefined;
  if (verified === false || verified === "false") return undefined;
  return {
    issuer: iss,
    subject: sub,
    email: address,
    isVerified: verified === true || verified === "true",
    name: typeof name === "string" ? name : undefined,
    groups: groupsIn(claims[groupsClaim]),
  };
}

/** A list, or the only one. */
function groupsIn(value: unknown): readonly string[] {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  return given.filter((one) => typeof one === "string").slice(0, mostGroups);
}
