import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { main } from "./index.ts";

/** Runs the command line in this process and returns its output. */
async function run(...args: string[]): Promise<{ code: number; printed: string; warned: string }> {
  const said = { printed: "", warned: "" };
  const keep = (name: keyof typeof said) => (text: string | Uint8Array) => {
    said[name] += String(text);
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, "write").mockImplementation(keep("printed")),
    vi.spyOn(process.stderr, "write").mockImplementation(keep("warned")),
  ];
  try {
    const code = await main(args);
    return { code, ...said };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

/** A command at the beginning of a line of a shell block, or of a text in backticks. */
const commandInGuide = /(?:^|`)(?:npx )?holdfast ([a-z]+)(?=[\s`])/gm;

const { printed: contents } = await run("--help");
const names = [...contents.matchAll(/^ {2}(\w+) /gm)].map(([, name = ""]) => name);

describe("help", () => {
  test("names every command", () => {
    expect(names).toHaveLength(30);
    expect(names).toEqual(expect.arrayContaining(["dev", "build", "start", "issues", "event"]));
  });

  test("names every command that the guides use", () => {
    const guides = join(import.meta.dirname, "../../docs/guides");
    const used = new Set<string>();
    for (const guide of readdirSync(guides).filter((file) => file.endsWith(".md")))
      for (const [, name = ""] of readFileSync(join(guides, guide), "utf8").matchAll(commandInGuide)) used.add(name);
    expect(used.size).toBeGreaterThan(20);
    expect([...used].filter((name) => !names.includes(name))).toEqual([]);
  });

  test.each(names)("help of `holdfast %s` says how it is used and what each option means", async (name) => {
    const { code, printed, warned } = await run(name, "--help");
    expect([code, warned]).toEqual([0, ""]);
    const [usage = "", says = "", ...rest] = printed.split("\n");
    expect(usage).toMatch(new RegExp(`^holdfast ${name} `));
    expect(says.trim()).not.toBe("");
    const explained = rest.join("\n");
    for (const [option] of usage.matchAll(/--[\w-]+/g)) expect(explained).toContain(`  ${option}`);
    for (const [option] of explained.matchAll(/^ {2}--[\w-]+/gm)) expect(usage).toContain(option.trim());
    expect(await run("help", name)).toEqual({ code, printed, warned });
    expect(await run(name, "-h")).toEqual({ code, printed, warned });
  });
});

describe("completion", () => {
  test.each(["bash", "zsh", "fish"])("completion of %s knows every command and its options", async (shell) => {
    const { code, printed } = await run("completion", shell);
    expect(code).toBe(0);
    for (const name of names) expect(printed).toMatch(new RegExp(`\\b${name}\\b`));
    expect(printed).toMatch(shell === "fish" ? /from issues' -l service/ : /issues\) offered=.*--service/);
  });

  test("completion of bash offers commands, options and files", async () => {
    const { printed } = await run("completion", "bash");
    const offered = (...words: string[]): string[] => {
      const ask = `${printed}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _holdfast; echo "\${COMPREPLY[@]}"`;
      return execFileSync("bash", ["-c", ask, "bash", ...words], { encoding: "utf8" })
        .trim()
        .split(" ");
    };
    expect(offered("holdfast", "log")).toEqual(["login", "logout"]);
    expect(offered("holdfast", "issues", "--se")).toEqual(["--service"]);
    expect(offered("holdfast", "build", "package.js")).toEqual(["package.json"]);
  });

  test("completion of an unknown shell is refused", async () => {
    expect((await run("completion", "cmd")).code).toBe(1);
  });
});

test("A command that does not exist ends with 2, and what was typed is not obeyed by a terminal", async () => {
  const { code, warned } = await run(`${String.fromCharCode(0x1b)}[2J`);
  expect(code).toBe(2);
  expect(warned).toBe('There is no command "\\u001b[2J".\n');
});
