import { describe, expect, it } from "vitest";
import { type StartedAs, startWithBounds } from "./memory-bounds.ts";

const started: StartedAs = {
  execPath: "/usr/bin/node",
  execArgv: ["--inspect"],
  argv: ["/usr/bin/node", "/srv/holdfast.js", "service", "--port", "4600"],
  env: { HOME: "/srv" },
  hasChannel: false,
};
const words = ["--inspect", "/srv/holdfast.js", "service", "--port", "4600"];

describe("the memory limits of a process", () => {
  it("the memory limits of a process are added to its arguments and variables", () => {
    expect(startWithBounds(started)).toEqual({
      words: ["/usr/bin/node", "--max-semi-space-size=8", "--heap-growing-percent=60", ...words],
      env: { HOME: "/srv", MALLOC_ARENA_MAX: "4" },
    });
  });

  it("the memory limits of a process do not restart it twice", () => {
    const bound = startWithBounds(started);
    const execArgv = ["--max-semi-space-size=8", "--heap-growing-percent=60", ...started.execArgv];
    expect(startWithBounds({ ...started, execArgv, env: bound?.env ?? {} })).toBeUndefined();
  });

  const growth = "--heap-growing-percent=60";
  it.each([
    { set: { NODE_OPTIONS: "--max_semi_space_size=64" }, flags: [growth], added: { MALLOC_ARENA_MAX: "4" } },
    { set: { MALLOC_ARENA_MAX: "8" }, flags: ["--max-semi-space-size=8", growth], added: {} },
    { set: { GLIBC_TUNABLES: "glibc.malloc.arena_max=8" }, flags: ["--max-semi-space-size=8", growth], added: {} },
  ])("the memory limits of a process are left to the operator who has set one: $set", ({ set, flags, added }) => {
    expect(startWithBounds({ ...started, env: set })).toEqual({
      words: ["/usr/bin/node", ...flags, ...words],
      env: { ...set, ...added },
    });
  });

  it("the memory limits of a process are left out if a parent uses an IPC channel", () => {
    expect(startWithBounds({ ...started, hasChannel: true })).toBeUndefined();
  });
});
