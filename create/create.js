#!/usr/bin/env node
// The starter's own code needs Node 24; this file must be readable by every Node, so that an old one gets a sentence instead of a syntax error.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if ((major === 24 && minor >= 11) || major >= 26) {
  console.error(
    'create-holdfast has no starter in this version; follow "A first page" in the README of holdfast instead.',
  );
} else {
  console.error(
    `Holdfast needs Node ^24.11 || >=26, but this is Node ${process.versions.node}; install Node 24 from https://nodejs.org and try again.`,
  );
}
process.exitCode = 1;
