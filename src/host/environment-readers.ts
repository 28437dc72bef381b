import { type SettingReader, settingReaders } from "#service";
import { readInvalidateToken } from "./cache/invalidate-mount.ts";
import type { Served } from "./served.ts";
import { consoleUsersOf } from "./service/console-users.ts";

/**
 * What an application reads of the environment, now or with a later request. The configuration may replace some of it;
 * an empty one reads everything.
 */
export function environmentReaders(
  served: Pick<Served, "config" | "development">,
  host: string | undefined,
): readonly SettingReader[] {
  const { config } = served;
  const hasService = config.report?.dsn === undefined;
  const hasAccounts = hasService && consoleUsersOf(served, host).kind === "accounts";
  return [
    ...settingReaders.secrets,
    readInvalidateToken,
    ...(config.store === undefined ? settingReaders.store : []),
    ...(hasService ? settingReaders.service : []),
    ...(hasAccounts ? settingReaders.signIn : []),
  ];
}
