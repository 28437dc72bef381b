import type { Access } from "./accounts/access.ts";
import { consolePath } from "./console-path.ts";
import { isUnavailable } from "./stores/postgres/connect/problems.ts";

/**
 * Returns the console's path. For a service without accounts it is the single-use link that creates its first owner.
 * While the database is away this is not known, and a process must start nevertheless: then it is the path alone, and
 * `holdfast user` makes a link later.
 */
export async function consoleEntrance(access: Access): Promise<string> {
  if (access.kind !== "accounts") return consolePath;
  const { accounts } = access;
  try {
    if ((await accounts.all()).length > 0) return consolePath;
    return `${consolePath}/welcome/${await accounts.invites.create("owner")}`;
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return consolePath;
  }
}
