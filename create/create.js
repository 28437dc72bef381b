#!/usr/bin/env node
// This file and `steps/needed-node.js` are readable by every Node from 18 on, so that an old one gets a sentence
// instead of a syntax error.
import { nodeIsSupported, wrongNode } from "./steps/needed-node.js";

if (nodeIsSupported(process.versions.node)) {
  const { create } = await import("./steps/create.js");
  process.exitCode = await create(process.argv.slice(2));
} else {
  console.error(wrongNode(process.versions.node, process.env));
  process.exitCode = 1;
}
