/**
 * The first import of every task: a task that somehow runs on another Node says so instead of failing in a strange
 * place.
 */
import { nodeIsSupported, wrongNode } from "../bin/node-version.js";

if (!nodeIsSupported(process.versions.node)) {
  console.error(`${wrongNode(process.versions.node)}; start tasks by \`npm run\`, which brings the right one.`);
  process.exit(1);
}
