import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "#errors";
import { consolePath } from "./console-path.ts";

const fileName = "address";

/** Stores the last address of a data folder's service, for commands that print links to it. */
export function keepLastAddress(folder: string, address: string): void {
  writeFileSync(join(folder, fileName), `${address}\n`, { mode: 0o600 });
}

/** Returns undefined if no service has listened yet. */
export function lastAddressOf(folder: string): string | undefined {
  try {
    const address = readFileSync(join(folder, fileName), "utf8").trim();
    return URL.canParse(address) ? address : undefined;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** Last address of the console. */
export function consoleAddressOf(folder: string): string | undefined {
  const address = lastAddressOf(folder);
  return address === undefined ? undefined : new URL(consolePath, address).href;
}
