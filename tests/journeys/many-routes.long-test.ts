import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { cpus } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { generateTypes } from "#build";
import { root } from "../../scripts/root.js";
import { application, keepProof } from "../kit/index.ts";
import { openEditor } from "./editor.ts";
import { describeTarget, type ManyRoutes, manyRoutes, type Part, type Typing } from "./many-routes.ts";

const tsc = resolve(root, "node_modules/.bin/tsc");
const routes = 500;
/**
 * An odd number, so that the middle one is a measured one. Of five, the ratio of bare pages varied from 1.26 to 1.59: a
 * run collects garbage once more or less.
 */
const rounds = 11;
/** How `tsc` runs by itself, and with one thread. By itself it has four checkers, which each resolve shared types. */
const byItself = { title: "as it runs by itself", options: [] };
const inOneThread = { title: "in one thread", options: ["--singleThreaded"] };

/** An application has code of its own. Pages that have nothing but what the types are about are the worst case. */
const compared = [
  { mode: byItself, hasOwnCode: true },
  { mode: inOneThread, hasOwnCode: true },
  { mode: byItself, hasOwnCode: false },
  { mode: inOneThread, hasOwnCode: false },
];
const ratioAtMost = 1.5;

/** Seconds of processor time, which other programs of the machine hardly change. */
async function compile(folder: string, options: readonly string[]): Promise<number> {
  const timed = 'TIMEFORMAT=%U; time "$0" "$@"';
  const run = promisify(execFile)("bash", ["-c", timed, tsc, "--noEmit", "-p", folder, ...options]);
  const { stdout, stderr } = await run.catch((failed) => failed);
  expect(stdout).toBe("");
  return Number(String(stderr).trim().replace(",", "."));
}

const middle = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;

/** Compiles both applications in turn, and returns a row of the table with the ratio. */
async function compare({ mode, hasOwnCode }: (typeof compared)[number]) {
  const folders = {
    plain: await write({ typing: "plain", hasOwnCode }),
    typed: await write({ typing: "typed", hasOwnCode }),
  };
  const seconds = { typed: [] as number[], plain: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    seconds.plain.push(await compile(folders.plain, mode.options));
    seconds.typed.push(await compile(folders.typed, mode.options));
  }
  const [typed, plain] = [middle(seconds.typed), middle(seconds.plain)];
  const ratio = typed / plain;
  const cells = [
    hasOwnCode ? "with own code" : "nothing else",
    mode.title,
    ...[plain, typed].map((one) => `${one.toFixed(2)} s`),
  ];
  return { ratio, row: `| ${cells.join(" | ")} | ${ratio.toFixed(2)} |` };
}

async function write(chosen: Omit<ManyRoutes, "count">): Promise<string> {
  const folder = resolve(root, application(manyRoutes({ ...chosen, count: routes })));
  if (chosen.typing === "typed") await generateTypes({ root: folder });
  return folder;
}

/** Lines for each page, as in the files that `write` writes. */
function linesPerPage(hasOwnCode: boolean): string {
  const files = Object.values(manyRoutes({ typing: "typed", count: routes, hasOwnCode }));
  return (files.reduce((sum, text) => sum + text.split("\n").length - 1, 0) / routes).toFixed(0);
}

/** Type instantiations, in one thread, of the application as a whole or without a part of each page. */
async function count(typing: Typing, without?: Part): Promise<number> {
  const options = ["--noEmit", "--singleThreaded", "--extendedDiagnostics", "-p", await write({ typing, without })];
  const { stdout } = await promisify(execFile)(tsc, options).catch((failed) => failed);
  expect(stdout).not.toContain("error TS");
  return Number(/Instantiations:\s+(\d+)/.exec(stdout)?.[1]);
}

/** `tsc` gives its files to four checkers in turn. Returns how many of them infer the search of a page, on average. */
async function checkersOfSearch(folder: string, typing: Typing): Promise<number> {
  const { stdout } = await promisify(execFile)(tsc, ["--listFilesOnly", "-p", folder], { maxBuffer: 16 * 1024 ** 2 });
  const places = new Map(stdout.split("\n").map((file, at) => [file, at % 4]));
  const placeOf = (page: number, ending: string) =>
    places.get(`${folder}/src/pages${describeTarget((page + routes) % routes).id}${ending}`);
  const searches = Array.from({ length: routes }, (_, page) => page).filter((page) => describeTarget(page).hasSearch);
  const checkers = searches.map((page) => {
    const links = typing === "typed" ? [1, 7, 31].map((distance) => placeOf(page - distance, ".tsx")) : [];
    const all = [placeOf(page, ".server.ts"), placeOf(page, ".tsx"), ...links];
    expect(all).not.toContain(undefined);
    return new Set(all).size;
  });
  return checkers.reduce((sum, one) => sum + one) / checkers.length;
}

/** What each part of the pages adds, as rows of a table. */
async function countParts(): Promise<string[]> {
  const whole = { plain: await count("plain"), typed: await count("typed") };
  const rows = [`| all | ${whole.plain} | ${whole.typed} |`];
  for (const part of ["links", "href", "forms", "searches"] as const) {
    const [plain, typed] = [await count("plain", part), await count("typed", part)];
    rows.push(`| ${part} | ${whole.plain - plain} | ${whole.typed - typed} |`);
  }
  return rows;
}

/** Seconds until an editor shows suggestions in a page that has just been changed, without opening the project. */
async function suggest(folder: string) {
  const editor = await openEditor(folder, join(folder, `src/pages${describeTarget(0).id}.tsx`));
  try {
    await editor.complete('href("', '"');
    const targets: number[] = [];
    const fields: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const target = await editor.complete('href("', '"');
      expect(target.labels).toContain(describeTarget(1).id);
      expect(target.labels.length).toBeGreaterThan(routes);
      targets.push(target.seconds);
      const field = await editor.complete('form.field("', '"');
      expect(field.labels).toEqual(["age", "name", "note"]);
      fields.push(field.seconds);
    }
    return { target: middle(targets), field: middle(fields) };
  } finally {
    editor.close();
  }
}

describe(`an application of ${routes} routes`, () => {
  it("has types whose cost is known, and an editor that answers within a second", async () => {
    const [typed, plain] = [await write({ typing: "typed" }), await write({ typing: "plain" })];
    const results = [];
    for (const one of compared) results.push(await compare(one));
    const spread = { typed: await checkersOfSearch(typed, "typed"), plain: await checkersOfSearch(plain, "plain") };
    const { target, field } = await suggest(typed);
    const { version } = JSON.parse(await readFile(join(root, "node_modules/typescript/package.json"), "utf8"));
    keepProof("many-routes", [
      `What the types of ${routes} routes cost the compiler (TypeScript ${version}, ${cpus().length} processors). Half of`,
      "the pages have a load, a third a search schema, a fifth an action with a form, half a parameter; each has three",
      "links and an `href`. It is compared with the same pages without the types of Holdfast: they infer data, search and",
      "fields from the same Zod schemas and functions, but each address is any text.",
      "",
      `With own code, each page shows a table that sorts and filters its rows: ${linesPerPage(true)} lines for each page, about as many as`,
      `in the tour. Otherwise there is nothing but what the types are about, in ${linesPerPage(false)} lines.`,
      "",
      `Processor time of \`tsc --noEmit\`, the middle of ${rounds} rounds in turn:`,
      "",
      "| pages | tsc | without | with | ratio |",
      "|---|---|---|---|---|",
      ...results.map(({ row }) => row),
      "",
      `The aim is a ratio of at most ${ratioAtMost}.`,
      "By itself, `tsc` has four checkers, which share no types. The files of a page and the pages that link to it fall to",
      `${spread.typed.toFixed(2)} of them on average, without the types of Holdfast to ${spread.plain.toFixed(2)}, and each infers the schema of the`,
      "search again. Of the attributes of `<a>`, the compiler lists those that a link has, and not all of them for each page.",
      "",
      "Type instantiations in one thread, and how many of them a part of the pages adds:",
      "",
      "| part | without | with |",
      "|---|---|---|",
      ...(await countParts()),
      "",
      `An editor that has the project open suggests the targets of \`href\` after ${target.toFixed(2)} s and the names of a`,
      `form's fields after ${field.toFixed(2)} s, each after a change of the page (the middle of ${rounds}).`,
    ]);
    for (const { ratio } of results) expect(ratio).toBeLessThan(ratioAtMost);
    expect(target).toBeLessThan(1);
    expect(field).toBeLessThan(1);
  }, 900_000);
});
