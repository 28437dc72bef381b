import { execFile } from "node:child_process";
import { existsSync, globSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { generateTypes } from "#build";
import { browserLimits } from "#pages";
import { root } from "../scripts/root.js";
import { settableLimits, writeLimit } from "../src/host/limit-settings.ts";
import { retentionLimits } from "../src/service/retention/limits.ts";
import { specified } from "../tour/src/promises.ts";
import { groups } from "../tour/src/try/experiments.ts";
import {
  brokenLinks,
  codeBlocksOf,
  hasTest,
  headingsOf,
  inOneLine,
  overlongProse,
  promisesIn,
} from "./docs/read-guide.ts";
import { numbersInCode, sharedBounds } from "./docs/shared-bounds.ts";
import { writeFiles } from "./kit/application.ts";
import { filesNamedIn, missingFiles } from "./walls/named-files.ts";
import { readEntryPoint } from "./walls/read-entry-point.ts";

const folder = join(root, "docs/guides");
const guides = new Map(
  readdirSync(folder)
    .filter((file) => file.endsWith(".md"))
    .map((file) => [file, readFileSync(join(folder, file), "utf8")]),
);

/** Guides of the repository: all but the one that the build writes. */
const written = new Map([...guides].filter(([file]) => file !== "error-catalogue.md"));

/** A reader begins with this one, so the others are compiled as that reader's project would be. */
const tsconfig = codeBlocksOf(guides.get("tutorial.md") ?? "").find(({ name }) => name === "tsconfig.json")?.text ?? "";

const withCode = [...guides].filter(([, text]) => codeBlocksOf(text).some(isTypeScript));

function isTypeScript({ language }: { language: string }): boolean {
  return language === "ts" || language === "tsx";
}

/** Calls that write a date, with what they are given. In prose they stand in backticks. */
const writesDate = /(?<!`)(?:\.to(?:Date|Time|LocaleDate|LocaleTime)String|DateTimeFormat)\([^)]*\)/g;

describe("the guides", () => {
  test("the guides are all in their contents", () => {
    const contents = guides.get("README.md") ?? "";
    for (const file of written.keys()) if (file !== "README.md") expect(contents).toContain(`](${file})`);
  });

  test("write no date without a time zone, nor do README, starter and tour: the server and a browser may have others", () => {
    const sources = globSync(["README.md", "docs/guides/*.md", "{create/template,tour/src}/**/*.{ts,tsx}"], {
      cwd: root,
    });
    expect(sources.length).toBeGreaterThan(50);
    const found = sources.flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(writesDate)]
        .filter(([call]) => !call.includes("timeZone"))
        .map(([call]) => `${file}: ${call}`),
    );
    expect(found).toEqual([]);
  });

  test("the guides and every other Markdown file wrap their prose at 120 columns; tables and code stay as they are", () => {
    // Programs write the error catalogue, the proofs and the latest bench result.
    const files = globSync(["*.md", "{bench,console,create,docs,src,tests,tour}/**/*.md"], {
      cwd: root,
      exclude: (name) => /(?:^|\/)(?:node_modules|dist|\.tmp|proofs|latest\.md|error-catalogue\.md)$/.test(name),
    });
    expect(files.length).toBeGreaterThan(60);
    const overlong = files.flatMap((file) =>
      overlongProse(readFileSync(join(root, file), "utf8")).map((line) => `${file}: ${line}`),
    );
    expect(overlong).toEqual([]);
    const long = "word ".repeat(30);
    expect(overlongProse(`${long}\n| ${long} |\n\`\`\`sh\n${long}\n\`\`\`\n- ${long}\n`)).toEqual([long, `- ${long}`]);
  });

  test("link only to files and headings of the repository, and so not to the catalogue that the build writes", () => {
    expect([...guides].flatMap(([file, text]) => brokenLinks(file, text, written))).toEqual([]);
    expect(brokenLinks("a.md", "[errors](error-catalogue.md)", written)).toEqual(["a.md: error-catalogue.md"]);
  });

  test("name only files of the repository that exist", () => {
    expect(missingFiles(root, guides.get("specification.md") ?? "")).toEqual([]);
  });

  test("list everything that unknown clients share, with a bound, whom it is bounded against, and a test that exists", () => {
    const rows = tableAfter(guides.get("security.md") ?? "", "### What unknown clients share");
    expect(rows.length).toBeGreaterThan(30);
    for (const row of rows) {
      expect(
        row.filter((cell) => cell !== ""),
        row[0],
      ).toHaveLength(6);
      const tests = row.at(-1) ?? "";
      expect(filesNamedIn(tests).length, row[0]).toBeGreaterThan(0);
      expect(missingFiles(root, tests), row[0]).toEqual([]);
      expect(
        filesNamedIn(tests).every((file) => /\.(?:long-)?test\.tsx?$/.test(file)),
        row[0],
      ).toBe(true);
    }
    const bounds = rows.map(([what = "", bound = ""]) => [what, numbersIn(bound)] as const);
    expect(bounds.filter(([, numbers]) => numbers.length > 0)).toEqual(
      Object.keys(sharedBounds).map((what) => [what, numbersInCode(root, what)]),
    );
    const sources = globSync("src/**/*.ts", { cwd: root }).filter((file) => !file.endsWith(".test.ts"));
    const counted = sources.flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(/refusals\??\.add\("([a-z-]+)"/gi)].map(([, name]) => name),
    );
    expect(new Set(counted).size).toBeGreaterThan(10);
    const listed = rows.map((row) => row.at(-2)).join();
    expect(counted.filter((name) => !listed.includes(`\`${name}\``))).toEqual([]);
  });

  test("the guides list each limit that can be set, with its default and its range", () => {
    const rows = guides.get("configuration.md")?.split("\n") ?? [];
    for (const name of Object.keys(settableLimits) as (keyof typeof settableLimits)[]) {
      const { usual, least, most } = settableLimits[name];
      const [shown, from, to] = [usual, least, most].map((value) => writeLimit(name, value));
      const row = rows.find((one) => one.startsWith(`| \`limits.${name}\` |`));
      expect(row).toContain(`| \`limits.${name}\` | ${shown} | ${from} to ${to} |`);
    }
  });

  test("the guides and the tour promise the numbers that the code has", () => {
    const { routeLoadMs, prefetchFreshMs, prefetchExpiresMs, prefetchesAtOnce } = browserLimits;
    const inCode = [routeLoadMs, prefetchFreshMs / 1000, prefetchExpiresMs / 1000, prefetchesAtOnce];
    expect(specified.map(({ value }) => Number(value.replace(",", "")))).toEqual(inCode);
    const table = guides.get("specification.md")?.split("## 9. Constants")[1] ?? "";
    for (const { value } of specified) expect(table).toMatch(new RegExp(`\\b${value}\\b`));
  });

  test("the guide of the service says how long each kind of counter is kept", () => {
    const kept = tableAfter(guides.get("service.md") ?? "", "## What is kept, and for how long").map((row) => row[1]);
    const { keepHoursForDays, keepQuartersForDays, keepAffectedForDays } = retentionLimits;
    const days = [keepHoursForDays, keepQuartersForDays, keepAffectedForDays].map((n) => `${n} days`);
    expect(kept.slice(0, days.length)).toEqual(days);
  });

  test("have a page of the tour for every rule, and a rule for every page", () => {
    const rules = [...(guides.get("rules.md") ?? "").matchAll(/^\| (\d+\.\d+) \| (.+) \| (.*) \|$/gm)];
    expect(rules.length).toBeGreaterThan(30);
    const pages = groups.flatMap(({ experiments }) => experiments.map(({ path }) => path));
    const tried = rules.map(([, number, , links = ""]) => {
      const found = [...links.matchAll(/\]\((\/try\/[^)]+)\)/g)].map(([, path = ""]) => path);
      expect(found.length, `rule ${number}`).toBeGreaterThan(0);
      expect(pages, `rule ${number}`).toEqual(expect.arrayContaining(found));
      return found;
    });
    expect(pages.filter((path) => !tried.flat().includes(path))).toEqual([]);
  });

  describe("make promises", () => {
    const promises = promisesIn(guides.get("promises.md") ?? "");
    // Lists of other things: contents, names, errors, rules and points of the specification, which have tests of their
    // own.
    const lists = ["README", "promises", "reference", "error-catalogue", "rules", "specification"].map(
      (name) => `${name}.md`,
    );

    test("promises stand in their guides word for word", () => {
      const missing = promises.filter(
        ({ guide, sentence }) => !inOneLine(guides.get(guide) ?? "").includes(inOneLine(sentence)),
      );
      expect(missing).toEqual([]);
    });

    test("promises are each held by a test with this very title", () => {
      const unheld = promises.filter(
        ({ file, test }) => !existsSync(join(root, file)) || !hasTest(readFileSync(join(root, file), "utf8"), test),
      );
      expect(unheld).toEqual([]);
    });

    test("promises are made in every guide, and each once", () => {
      const named = new Set(promises.map(({ guide }) => guide));
      expect([...guides.keys()].filter((guide) => !lists.includes(guide) && !named.has(guide))).toEqual([]);
      expect(new Set(promises.map(({ guide, sentence }) => `${guide} ${sentence}`)).size).toBe(promises.length);
      expect(promises.length).toBeGreaterThan(150);
    });
  });

  test("have every public name in the reference, with an example", () => {
    const reference = guides.get("reference.md") ?? "";
    const headings = headingsOf(reference);
    const examples = codeBlocksOf(reference)
      .filter(isTypeScript)
      .map(({ text }) => text)
      .join("\n");
    const entryPoints = readdirSync(join(root, "src/exports")).filter((file) => file.endsWith(".ts"));
    expect(entryPoints.length).toBeGreaterThan(5);
    for (const file of entryPoints) {
      const { values } = readEntryPoint(readFileSync(join(root, "src/exports", file), "utf8"));
      expect(headings, file).toEqual(expect.arrayContaining(values));
      for (const name of values)
        expect(examples, `${file}: an example of ${name}`).toMatch(new RegExp(`\\b${name}\\b`));
    }
  });

  test("name every block of code that is to be compiled, each once", () => {
    expect(withCode.length).toBeGreaterThan(8);
    for (const [file, text] of withCode) {
      const names = codeBlocksOf(text)
        .filter(isTypeScript)
        .map(({ name }) => name);
      expect(names, file).not.toContain(undefined);
      expect(new Set(names).size, file).toBe(names.length);
    }
  });

  test.each(withCode)("%s: its code compiles as one application", async (file, text) => {
    const application = join(root, "tests/.tmp/guides", file.slice(0, -".md".length));
    rmSync(application, { recursive: true, force: true });
    const files = codeBlocksOf(text).filter(isTypeScript);
    writeFiles(application, Object.fromEntries(files.map(({ name = "", text }) => [name, text])));
    writeFiles(application, { "tsconfig.json": tsconfig.replace('"src"]', '"src", "*.ts"]') });
    await generateTypes({ root: application });
    const tsc = join(root, "node_modules/.bin/tsc");
    const { stdout } = await promisify(execFile)(tsc, ["--noEmit", "-p", application]).catch((failed) => failed);
    expect(stdout).toBe("");
  });
});

function numbersIn(text: string): number[] {
  return [...text.matchAll(/\d[\d,]*/g)].map(([number]) => Number(number.replaceAll(",", "")));
}

/** The cells of the table that follows a heading, without its own head. */
function tableAfter(text: string, heading: string): string[][] {
  const [table = ""] = /(?:^\|.*\n)+/m.exec(text.slice(text.indexOf(heading))) ?? [];
  const lines = table.trim().split("\n").slice(2);
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
}
