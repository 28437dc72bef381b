/** First import of every task: a task on an unsupported Node prints an error instead of failing in an unclear place. */
import { nodeIsSupported, wrongNode } from "../bin/node-version.js";

if (!nodeIsSupported(process.versions.node)) {
  console.error(`${wrongNode(process.versions.node)}; start tasks with \`npm run\`, which uses the right one.`);
  process.exit(1);
}
