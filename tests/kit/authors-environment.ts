import { delimiter, sep } from "node:path";
import { root } from "../../scripts/root.js";

/** What Vitest sets in its processes. */
const ofVitest = /^(?:NODE_ENV|TEST|PROD|DEV|MODE|SSR|BASE_URL|FORCE_TTY|VITEST.*)$/;

/**
 * What npm says about this repository to its scripts. npm's settings (`npm_config_…`) are the user's, except for the
 * folder.
 */
const ofNpm = /^(?:npm_(?!config_).*|npm_config_local_prefix|INIT_CWD|NODE|COLOR)$/i;

/**
 * The environment of an author of an application: today's, without what Vitest and npm set for this repository.
 * Certificates, proxies and npm's settings stay, because a machine may reach nothing without them.
 */
export function authorsEnvironment(): NodeJS.ProcessEnv {
  const { PATH = "", ...others } = process.env;
  const own = Object.entries(others).filter(
    ([name]) => ![ofVitest, ofNpm, /^PATH$/i].some((names) => names.test(name)),
  );
  return { ...Object.fromEntries(own), PATH: withoutRepository(PATH) };
}

/** Programs of this repository would hide that an application lacks them. */
function withoutRepository(path: string): string {
  return path
    .split(delimiter)
    .filter((folder) => !`${folder}${sep}`.startsWith(root + sep))
    .join(delimiter);
}
