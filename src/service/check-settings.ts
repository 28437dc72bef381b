import { HoldfastError } from "#errors";
import { providerReaders, readPasswords, readSecondFactor, readWays } from "./accounts/provider/sign-in-settings.ts";
import { mailReaders } from "./alerts/channels/mail.ts";
import { serviceErrors } from "./errors.ts";
import { countReaders } from "./read-count.ts";
import { readEarlierSecrets, readSecret } from "./read-secrets.ts";
import { readStore } from "./stores/store-address.ts";

/** Reads one setting of the environment, or several that belong together. Throws a `HoldfastError` if it is wrong. */
export type SettingReader = (env: NodeJS.ProcessEnv) => unknown;

/**
 * What a service reads of the environment, now or with the first request that needs it. A start calls all of them: a
 * wrong setting is named then, and not by a request that fails hours later. Who reads another variable adds it here.
 */
export const settingReaders: Readonly<Record<"secrets" | "store" | "signIn" | "service", readonly SettingReader[]>> = {
  secrets: [readSecret, readEarlierSecrets],
  store: [readStore],
  /** Of accounts, which not every console has. */
  signIn: [...providerReaders, readPasswords, readWays, readSecondFactor],
  service: [...countReaders, ...mailReaders],
};

/** Those of `holdfast service`. */
export const allSettingReaders: readonly SettingReader[] = Object.values(settingReaders).flat();

/** Returns what the readers say of wrong settings, each once: two may read the same one. */
export function wrongSettings(readers: readonly SettingReader[], env: NodeJS.ProcessEnv): HoldfastError[] {
  const wrong = new Map<string, HoldfastError>();
  for (const read of readers) {
    try {
      read(env);
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error;
      wrong.set(error.message, error);
    }
  }
  return [...wrong.values()];
}

/** Throws if a setting is wrong. The error names all that are. */
export function refuseWrongSettings(readers: readonly SettingReader[], env: NodeJS.ProcessEnv): void {
  const [first, ...others] = wrongSettings(readers, env);
  if (first === undefined) return;
  throw others.length === 0 ? first : serviceErrors.wrongSettings([first, ...others].map(({ message }) => message));
}
