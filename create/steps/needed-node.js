/** The versions of Node that Holdfast runs on; the same words as `engines.node` of the package `holdfast`. */
export const supportedNodes = "^24.11 || >=26";

/** @param {string} version as in `process.versions.node` */
export function nodeIsSupported(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return (major === 24 && minor >= 11) || major >= 26;
}

/**
 * One sentence, with the command of the version manager that is there.
 * @param {string} version
 * @param {Readonly<Record<string, string | undefined>>} environment
 */
export function wrongNode(version, environment) {
  const { command } = managers.find(({ variable }) => environment[variable]) ?? { command: "nvm install 24" };
  return `Holdfast needs Node ${supportedNodes}, but this is Node ${version}; run \`${command}\`, or install Node 24 from https://nodejs.org, and try again.`;
}

/** Each sets its variable in the shells it serves. */
const managers = [
  { variable: "FNM_DIR", command: "fnm install 24 && fnm use 24" },
  { variable: "VOLTA_HOME", command: "volta install node@24" },
  { variable: "MISE_SHELL", command: "mise use --global node@24" },
  { variable: "ASDF_DIR", command: "asdf install nodejs latest:24" },
];
