import { describe, expect, it } from "vitest";
import { findPrivateVariables } from "./private-environment.ts";

const namesIn = (code: string) => findPrivateVariables("page.tsx", code).map(({ name }) => name);

describe("a private variable in the browser's code", () => {
  it.each([
    ["process.env.DATABASE_URL", "process.env.DATABASE_URL"],
    ['process.env["DATABASE_URL"]', "process.env.DATABASE_URL"],
    ["const { DATABASE_URL } = process.env", "process.env"],
    ["process.env[name]", "process.env"],
    ["import.meta.env.API_KEY", "import.meta.env.API_KEY"],
    ["const page = () => <p>{process.env.SECRET as string}</p>", "process.env.SECRET"],
  ])("is found in %s", (code, name) => {
    expect(namesIn(code)).toEqual([name]);
  });

  it("is found at its line", () => {
    expect(findPrivateVariables("page.tsx", "const a = 1;\n\nconst b: string = process.env.KEY;")).toEqual([
      { name: "process.env.KEY", line: 3 },
    ]);
  });

  it.each([
    "import.meta.env.PUBLIC_TITLE",
    "import.meta.env.DEV",
    "process.env.NODE_ENV",
    "const all = import.meta.env",
    "const text = 'process.env.KEY' // process.env.KEY",
    "const other = settings.process.env.KEY",
    "type Environment = typeof process.env",
  ])("is not seen in %s", (code) => {
    expect(namesIn(code)).toEqual([]);
  });
});
