#!/usr/bin/env node
import { nodeIsSupported, wrongNode } from "./node-version.js";

if (nodeIsSupported(process.versions.node)) process.exitCode = await run();
else
  process.exitCode = refuse(
    `${wrongNode(process.versions.node)}; install Node 24 from https://nodejs.org and try again.`,
  );

async function run() {
  // Not imported: that would read all of their exports, which load further parts of Node. Older ones have no such call.
  const { existsSync } = process.getBuiltinModule("node:fs");
  const { fileURLToPath } = process.getBuiltinModule("node:url");
  const { enableCompileCache, flushCompileCache } = process.getBuiltinModule("node:module");

  // By a computed address, because the command line is made by the build and is not there when types are checked.
  const commandLine = new URL("../dist/cli/index.js", import.meta.url);
  if (!existsSync(fileURLToPath(commandLine)))
    return refuse("This copy of Holdfast has not been built; run `npm run build` in its folder.");

  // The second start need not compile again what the first one has. Beside the package, because Node does not check who
  // wrote what it reads: others may write there only if they may change the package, or the folder is given to them.
  // NODE_COMPILE_CACHE names another folder. Where we may not write, it is left. What is compiled by then is written a
  // moment after the start, because a server may be ended without being asked.
  enableCompileCache(fileURLToPath(new URL("../.cache", import.meta.url)));
  setTimeout(flushCompileCache, 2_000).unref();
  const { main } = await import(commandLine.href);
  return main(process.argv.slice(2));
}

/** @param {string} sentence */
function refuse(sentence) {
  console.error(sentence);
  return 1;
}
