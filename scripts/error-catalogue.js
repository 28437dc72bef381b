import { globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./root.js";

/**
 * @typedef {{ part: string, code: string, whatHappened: string, whatToDo: string }} DescribedError
 * @typedef {(...values: unknown[]) => unknown} Raise a part writes each of its errors as a function of the values in
 *   its sentence
 */

/**
 * Written by each build of the package and ignored by git, so that two people who each add an error have no conflict in
 * it.
 */
const file = join(root, "docs/guides/error-catalogue.md");

/** Writes the guide that lists every error, from the error lists in the parts of the built package. */
export async function writeErrorCatalogue() {
  const text = catalogue(describeErrors(await readErrorLists(join(root, "dist"))));
  // An unchanged file keeps its time, so that nothing made from it is rebuilt.
  if (statSync(file, { throwIfNoEntry: false }) && readFileSync(file, "utf8") === text) return;
  writeFileSync(file, text);
}

/**
 * The `errors.js` files of the parts export their errors one by one, or as one list.
 * @param {string} folder
 * @returns {Promise<{ part: string, raise: Raise }[]>}
 */
export async function readErrorLists(folder) {
  const lists = globSync("**/errors.js", { cwd: folder }).map(async (path) => {
    const module = await import(`${pathToFileURL(join(folder, path)).href}?${Date.now()}`);
    return Object.values(module)
      .flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : [value]))
      .filter((value) => typeof value === "function")
      .map((raise) => ({ part: dirname(path), raise }));
  });
  return (await Promise.all(lists)).flat();
}

/**
 * Creates each error with the names of its parameters as values.
 * @param {readonly { part: string, raise: Raise }[]} errors
 * @returns {DescribedError[]}
 */
export function describeErrors(errors) {
  return errors
    .map(({ part, raise }) => {
      const raised = raise(...valueNames(raise).map(standIn));
      if (!(raised instanceof Error) || !("code" in raised) || !("whatToDo" in raised))
        throw new TypeError(`${raise.name} of ${part} gives no HoldfastError.`);
      const whatToDo = `${raised.whatToDo}`;
      const whatHappened = raised.message.slice(0, raised.message.lastIndexOf(whatToDo)).trim();
      return { part, code: String(raised.code), whatHappened, whatToDo };
    })
    .sort((one, other) => (one.code < other.code ? -1 : 1));
}

/** @param {readonly DescribedError[]} errors */
function catalogue(errors) {
  const sections = errors.map(
    ({ part, code, whatHappened, whatToDo }) =>
      `## ${code}\n\n> ${whatHappened}\n\n${whatToDo.startsWith("‹") ? "The message itself says what to do." : whatToDo}\n\nRaised by \`src/${part}\`.\n`,
  );
  return `# Error catalogue

Every error of the framework says what happened, what to do, and its code. A code never changes; each has a page of its own at \`/docs/errors/CODE\`. The words in ‹› stand for the values of the case.

${sections.join("\n")}`;
}

/**
 * Returns the parameter names of an arrow function.
 * @param {Raise} raise
 */
function valueNames(raise) {
  const [, list = ""] = /^\(?([^)=]*)\)?\s*=>/.exec(String(raise)) ?? [];
  return list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/**
 * Placeholder for a value of any type: every property and call returns the placeholder, and as text it is its name.
 * @param {string} name
 * @returns {unknown}
 */
function standIn(name) {
  const text = () => `‹${name}›`;
  /** @type {unknown} */
  const itself = new Proxy(text, {
    get: (_, key) =>
      key === Symbol.toPrimitive || ["toString", "toJSON", "join"].includes(String(key)) ? text : itself,
    apply: () => itself,
  });
  return itself;
}
