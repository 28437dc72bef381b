import type { Access } from "#service";
import type { Served } from "../served.ts";

/** Whom the console admits: as the application decides, everyone, or people with accounts. */
export type ConsoleUsers = Exclude<Access, { kind: "accounts" }> | { readonly kind: "accounts" };

/** In development it is open to everyone on this machine. */
export function consoleUsersOf(
  { config, development }: Pick<Served, "config" | "development">,
  host: string | undefined,
): ConsoleUsers {
  if (config.console?.authorize) return { kind: "application", authorize: config.console.authorize };
  if (development && ["localhost", "127.0.0.1", "::1"].includes(host ?? "")) return { kind: "open" };
  return { kind: "accounts" };
}
