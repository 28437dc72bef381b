import { createRequire } from "node:module";
import type { Refusals } from "#bounds";
import { systemClock } from "../clock.ts";
import { serviceErrors } from "../errors.ts";
import type { Access } from "./access.ts";
import type { AccountOptions, Accounts } from "./accounts.ts";
import { accountLimits } from "./limits.ts";
import { IdentityProvider } from "./provider/identity-provider.ts";
import { signInSettingsOf } from "./provider/sign-in-settings.ts";
import type { SealKeys } from "./second-factor/sealed-secret.ts";

export interface AccountAccessDeps {
  openAccounts(options: AccountOptions): Accounts;
  readonly refusals: Refusals;
  readonly sealKeys: SealKeys | undefined;
  /** For the operator. */
  log(text: string): void;
  readonly environment?: NodeJS.ProcessEnv;
}

/** Opens accounts as the environment says. Throws for wrong settings, and if a package is missing. */
export function openAccountAccess(deps: AccountAccessDeps): Access {
  const { refusals, sealKeys, log, environment = process.env } = deps;
  const signIn = signInSettingsOf(environment);
  if (signIn.provider && !isInstalled("openid-client")) throw serviceErrors.openIdClientMissing();
  return {
    kind: "accounts",
    accounts: deps.openAccounts({ refusals, signIn, sealKeys }),
    provider:
      signIn.provider &&
      new IdentityProvider({ settings: signIn.provider, clock: systemClock, limits: accountLimits, log }),
  };
}

/** Does not load it: that is for the first sign-in. */
function isInstalled(name: string): boolean {
  try {
    return createRequire(import.meta.url).resolve(name) !== "";
  } catch {
    return false;
  }
}
