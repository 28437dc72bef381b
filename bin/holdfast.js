#!/usr/bin/env node
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { nodeIsSupported, wrongNode } from "./node-version.js";

// By a computed address, because the command line is made by the build and is not there when types are checked.
const commandLine = new URL("../dist/cli/index.js", import.meta.url);

if (!nodeIsSupported(process.versions.node)) {
  refuse(`${wrongNode(process.versions.node)}; install Node 24 from https://nodejs.org and try again.`);
} else if (!existsSync(fileURLToPath(commandLine))) {
  refuse("This copy of Holdfast has not been built; run `npm run build` in its folder.");
} else {
  // The second start need not compile again what the first one has. Beside the package, where nobody else may write;
  // where we may not either, it is left. What is compiled by then is written a moment after the start, because a server
  // may be ended without being asked.
  const { enableCompileCache, flushCompileCache } = process.getBuiltinModule("node:module");
  enableCompileCache(fileURLToPath(new URL("../.cache", import.meta.url)));
  setTimeout(flushCompileCache, 2_000).unref();
  const { main } = await import(commandLine.href);
  process.exitCode = await main(process.argv.slice(2));
}

/** @param {string} sentence */
function refuse(sentence) {
  console.error(sentence);
  process.exitCode = 1;
}
