import { relative } from "node:path";
import { askForTheRest } from "./ask.js";
import { readCommandLine, usage } from "./command-line.js";
import { installPackages } from "./install.js";
import { starterFiles } from "./starter-files.js";
import { whyNotInto, writeFiles } from "./write-files.js";

/**
 * Creates a new application: reads the command line, asks for the rest, writes the files, installs the packages, and
 * prints the next steps.
 * @param {readonly string[]} args
 * @returns {Promise<number>} the exit code
 */
export async function create(args) {
  const asked = readCommandLine(args);
  if (asked.kind === "help") return say(usage, 0);
  if (asked.kind === "wrong") return say(`${asked.sentence}\n\n${usage}`, 2);

  const wishes = asked.sure || !process.stdin.isTTY ? asked.wishes : await askForTheRest(asked.wishes);
  if (wishes === "cancelled") return say("Nothing was written.", 1);

  const refusal = whyNotInto(wishes.folder);
  if (refusal) return say(refusal, 1);

  const files = starterFiles(wishes);
  writeFiles(wishes.folder, files);
  const place = relative(".", wishes.folder) || ".";
  say(`Wrote ${files.size} files into ${place}.`, 0);

  if (wishes.install && !(await installPackages(wishes.folder)))
    return say(`The files are there, but \`npm install\` failed; run it again in ${place}.`, 1);
  return say(nextSteps(place, wishes.install), 0);
}

/**
 * @param {string} place
 * @param {boolean} installed
 */
function nextSteps(place, installed) {
  const steps = [place !== "." && `cd ${place}`, !installed && "npm install", "npm run dev"].filter(Boolean);
  return `\nNext:\n${steps.map((step) => `  ${step}`).join("\n")}\n`;
}

/**
 * @param {string} words
 * @param {number} code
 */
function say(words, code) {
  if (code === 0) console.log(words);
  else console.error(words);
  return code;
}
