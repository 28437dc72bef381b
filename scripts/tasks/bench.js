import "../require-node.js";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { compileThreads } from "../compile-threads.js";
import { root } from "../root.js";
import { runNode } from "../tools.js";

/** One folder per benchmark; its `run.ts` (or `run.js`) prints the result. */
const questions = existsSync(join(root, "bench"))
  ? readdirSync(join(root, "bench")).flatMap((name) => {
      const file = ["run.ts", "run.js"]
        .map((run) => join("bench", name, run))
        .find((run) => existsSync(join(root, run)));
      return file ? [{ name, file }] : [];
    })
  : [];

const [asked, ...args] = process.argv.slice(2);
const question = questions.find(({ name }) => name === asked);
if (question) {
  await compileThreads();
  process.exitCode = await runNode(["--conditions=holdfast-source", "--expose-gc", question.file, ...args]);
} else {
  console.log(
    `Name a question, as in \`npm run bench -- NAME\`: ${questions.map(({ name }) => name).join(", ") || "there is none yet"}.`,
  );
  process.exitCode = asked === undefined ? 0 : 1;
}
