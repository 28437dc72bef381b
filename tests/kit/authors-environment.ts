import { delimiter, sep } from "node:path";
import { root } from "../../scripts/root.js";

/** Variables that Vitest sets in its processes. */
const ofVitest = /^(?:NODE_ENV|TEST|PROD|DEV|MODE|SSR|BASE_URL|FORCE_TTY|VITEST.*)$/;

/**
 * Variables that npm sets for scripts of this repository. npm's settings (`npm_config_…`) are the user's, except for
 * the folder.
 */
const ofNpm = /^(?:npm_(?!config_).*|npm_config_local_prefix|INIT_CWD|NODE|COLOR)$/i;

/**
 * The environment of a developer of an application: the current one, without what Vitest and npm set for this
 * repository. Certificates, proxies and npm's settings stay, because some machines have no network access without them.
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
