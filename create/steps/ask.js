import { basename, resolve } from "node:path";
import { intro, isCancel, multiselect, text } from "@clack/prompts";
import { whyNotInto } from "./write-files.js";

/** @typedef {import("./command-line.js").Wishes} Wishes */

/** @type {{ value: import("./command-line.js").Extra, label: string, hint?: string }[]} */
const choices = [
  { value: "tailwind", label: "Tailwind CSS" },
  { value: "sqlite", label: "SQLite", hint: "keeps the notes in a file" },
  { value: "docker", label: "Dockerfile" },
];

/**
 * Asks for all choices, with those of the command line as defaults.
 * @param {Wishes} wishes
 * @returns {Promise<Wishes | "cancelled">}
 */
export async function askForTheRest(wishes) {
  intro("A new Holdfast application");
  const folder = await text({
    message: "Into which folder?",
    initialValue: basename(wishes.folder),
    validate: (typed) => whyNotInto(resolve(typed ?? "")),
  });
  if (isCancel(folder)) return "cancelled";
  const extras = await multiselect({
    message: "What else? (space chooses, enter goes on)",
    options: choices,
    initialValues: [...wishes.extras],
    required: false,
  });
  if (isCancel(extras)) return "cancelled";
  return { ...wishes, folder: resolve(folder), extras };
}
