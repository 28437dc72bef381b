import { describe, expect, it } from "vitest";
import { type StartedAs, wordsWithBound } from "./young-generation.ts";

const started: StartedAs = {
  execPath: "/usr/bin/node",
  execArgv: ["--inspect"],
  argv: ["/usr/bin/node", "/srv/holdfast.js", "service", "--port", "4600"],
  nodeOptions: undefined,
  hasChannel: false,
};

describe("the bound on the young generation", () => {
  it("is added in front of the words by which the process was started", () => {
    expect(wordsWithBound(started)).toEqual([
      "/usr/bin/node",
      "--max-semi-space-size=8",
      "--inspect",
      "/srv/holdfast.js",
      "service",
      "--port",
      "4600",
    ]);
  });

  it("is left to the operator who has set one, and does not make the process begin again twice", () => {
    expect(wordsWithBound({ ...started, execArgv: ["--max-semi-space-size=8"] })).toBeUndefined();
    expect(wordsWithBound({ ...started, nodeOptions: "--max_semi_space_size=64" })).toBeUndefined();
  });

  it("is left out where a parent talks to the process", () => {
    expect(wordsWithBound({ ...started, hasChannel: true })).toBeUndefined();
  });
});
