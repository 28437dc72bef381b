import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as english from "./english.ts";
import { german } from "./german.ts";
import { textNames } from "./text-names.ts";

const namesIn = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

test("German has every text of English, with the same values in it, and none is the same", () => {
  expect(Object.keys(german).sort()).toEqual([...textNames].sort());
  for (const [name, text] of Object.entries(english)) {
    const translated = german[name as keyof typeof german];
    expect([name, namesIn(translated)]).toEqual([name, namesIn(text)]);
    expect(translated, name).not.toBe(text);
  }
});

test("components ask for texts that exist", () => {
  const files = globSync("src/pages/{react,browser}/**/*.{ts,tsx}").filter((file) => !file.includes(".test."));
  const asked = files.flatMap((file) => {
    const code = readFileSync(file, "utf8");
    const calls = [...code.matchAll(/(?:languages\.text|\btext|wordsIn)\(([^()]*)\)/g)].map(
      ([, inside = ""]) => inside,
    );
    return calls.flatMap((inside) => [...inside.matchAll(/(?<!=== )"([a-z]\w+)"/g)].map(([, name]) => name));
  });
  expect(asked.length).toBeGreaterThan(40);
  expect(asked.filter((name) => !textNames.includes(name ?? ""))).toEqual([]);
  const used = new Set([...asked, ...usedElsewhere(files)]);
  expect(used.size).toBeGreaterThan(40);
});

/** Names in tables, such as that of a form's reasons. */
function usedElsewhere(files: readonly string[]): string[] {
  const all = files.map((file) => readFileSync(file, "utf8")).join();
  return textNames.filter((name) => all.includes(`"${name}"`));
}
