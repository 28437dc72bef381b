/** Versions of Node that Holdfast supports; equal to `engines.node` of the package `holdfast`. */
export const supportedNodes = "^24.11 || >=26";

/** @param {string} version as in `process.versions.node` */
export function nodeIsSupported(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return (major === 24 && minor >= 11) || major >= 26;
}

/**
 * Returns a sentence with the command of the installed version manager.
 * @param {string} version
 * @param {Readonly<Record<string, string | undefined>>} environment
 */
export function wrongNode(version, environment) {
  const { command } = managers.find(({ variable }) => environment[variable]) ?? { command: "nvm install 24" };
  return `Holdfast needs Node ${supportedNodes}, but this is Node ${version}; run \`${command}\`, or install Node 24 from https://nodejs.org, and try again.`;
}

/** Each manager sets its variable in the shells that use it. */
const managers = [
  { variable: "FNM_DIR", command: "fnm install 24 && fnm use 24" },
  { variable: "VOLTA_HOME", command: "volta install node@24" },
  { variable: "MISE_SHELL", command: "mise use --global node@24" },
  { variable: "ASDF_DIR", command: "asdf install nodejs latest:24" },
];
