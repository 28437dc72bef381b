#!/usr/bin/env node
import { nodeIsSupported, wrongNode } from "./node-version.js";

if (nodeIsSupported(process.versions.node)) {
  // By a computed address, because the command line is made by the build and is not there when types are checked.
  const { main } = await import(new URL("../dist/cli/index.js", import.meta.url).href);
  process.exitCode = await main(process.argv.slice(2));
} else {
  console.error(`${wrongNode(process.versions.node)}; install Node 24 from https://nodejs.org and try again.`);
  process.exitCode = 1;
}
