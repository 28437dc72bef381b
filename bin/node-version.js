/** The versions of Node that Holdfast runs on; the same words as `engines.node` in package.json. */
export const supportedNodes = "^24.11 || >=26";

/**
 * Node 24.11 is the first long-term release with everything Holdfast stands on: SQLite, zstd and type stripping.
 * @param {string} version as in `process.versions.node`
 */
export function nodeIsSupported(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return (major === 24 && minor >= 11) || major >= 26;
}

/** @param {string} version */
export function wrongNode(version) {
  return `Holdfast needs Node ${supportedNodes}, but this is Node ${version}`;
}
