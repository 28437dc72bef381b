import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { describeFailure, type FindSource, readThrown } from "./failure.ts";
import { failureLines } from "./failure-lines.ts";
import { failureView } from "./failure-view.ts";

const root = mkdtempSync(join(tmpdir(), "holdfast-failure-"));
const page = join(root, "src/pages/orders.server.ts");
mkdirSync(join(root, "src/pages"), { recursive: true });
writeFileSync(page, "one\ntwo\nthree\nfour\n  throw new Error('no <b>database</b>');\nsix\nseven\n");
afterAll(() => rmSync(root, { recursive: true, force: true }));

const noSource: FindSource = async () => undefined;

function thrownAt(line: number): Error {
  const error = new TypeError("no <b>database</b>");
  error.stack = `TypeError: no <b>database</b>\n    at load (${page}:${line}:3)\n    at run (/elsewhere/node_modules/pg/index.js:9:1)\n    at node:internal/process:1:1`;
  return error;
}

const place = {
  side: "server",
  during: "load",
  route: "/orders/[id]",
  params: { id: "7" },
  url: "/orders/7?x=1",
} as const;

describe("a failure in development", () => {
  test("names the failing line of the application, not that of a package", async () => {
    const failure = await describeFailure(
      readThrown(thrownAt(5)),
      { place, digest: "7K2M-9QXD-4TBA" },
      { root, findSource: noSource },
    );
    expect(failure.excerpt).toMatchObject({ file: "src/pages/orders.server.ts", line: 5, column: 3 });
    expect(failure.excerpt?.lines.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(failure.stack.map(({ inApp }) => inApp)).toEqual([true, false]);
  });

  test("names the failing line of a package of the workspace, by its path from the application", async () => {
    const error = new Error("no price");
    const framework = join(import.meta.dirname, "../develop.ts");
    error.stack = `Error: no price\n    at run (${framework}:1:1)\n    at priceOf (${page}:5:3)\n    at load (${root}/shop/a.ts:1:1)`;
    const failure = await describeFailure(
      readThrown(error),
      { place: {} },
      { root: join(root, "shop"), findSource: noSource },
    );
    expect(failure.excerpt).toMatchObject({ file: "../src/pages/orders.server.ts", line: 5, column: 3 });
    expect(failure.stack.map(({ file, inApp }) => [file, inApp])).toEqual([
      [framework, false],
      ["../src/pages/orders.server.ts", true],
      ["a.ts", true],
    ]);
  });

  test("is five lines in a terminal", async () => {
    const failure = await describeFailure(
      readThrown(thrownAt(5)),
      { place, digest: "7K2M-9QXD-4TBA" },
      { root, findSource: noSource },
    );
    expect(failureLines(failure, "http://localhost:3000/_holdfast")).toEqual([
      "✗ TypeError in the load of /orders/[id], on the server",
      "  no <b>database</b>",
      "  src/pages/orders.server.ts:5:3",
      "  5 | throw new Error('no <b>database</b>');",
      "  http://localhost:3000/_holdfast/d/7K2M-9QXD-4TBA",
    ]);
  });

  test("shows route, parameters, address and a link to its event, with all markup escaped", async () => {
    const failure = await describeFailure(
      readThrown(thrownAt(5)),
      { place, digest: "7K2M-9QXD-4TBA" },
      { root, findSource: noSource },
    );
    const html = failureView(failure, "/_holdfast");
    for (const part of [
      "/orders/[id]",
      "params.id",
      "/orders/7?x=1",
      "/_holdfast/d/7K2M-9QXD-4TBA",
      `data-open="${page}:5:3"`,
    ])
      expect(html).toContain(part);
    expect(html).not.toContain("<b>");
  });

  test("a failure of a browser is shown at its source position", async () => {
    const thrown = {
      name: "Error",
      message: "x",
      stack: "Error: x\n    at Home (http://localhost:3000/src/pages/orders.server.ts?t=1:99:9)",
    };
    const findSource: FindSource = async (_address, line) =>
      line === 99 ? { file: page, line: 5, column: 3 } : undefined;
    const failure = await describeFailure(thrown, { place: { side: "browser" } }, { root, findSource });
    expect(failure).toMatchObject({ kind: "browser", excerpt: { line: 5 } });
  });

  test("a failure of a compiler shows the problem and its position, without the code frame", async () => {
    const colour = String.fromCharCode(27);
    const error = new Error(
      `Transform failed with 1 error:\n\n${colour}[31m[PARSE_ERROR] ${colour}[0mUnexpected token\n   ╭─[ ${page}:3:2 ]\n   │\n`,
    );
    const failure = await describeFailure(readThrown(error), { place: {} }, { root, findSource: noSource });
    expect(failure).toMatchObject({ kind: "compile", message: "Unexpected token", excerpt: { line: 3, column: 2 } });
  });

  test("a failure of a plugin that only knows the file is shown at its first line", async () => {
    const error = Object.assign(new Error("node:fs works on the server alone"), {
      plugin: "holdfast:server-code",
      id: page,
    });
    const failure = await describeFailure(readThrown(error), { place: {} }, { root, findSource: noSource });
    expect(failure).toMatchObject({
      kind: "compile",
      message: "node:fs works on the server alone",
      excerpt: { line: 1 },
    });
  });

  test("a failure describes any thrown value", async () => {
    const hostile = new Proxy(new Error("x"), {
      get: () => {
        throw new Error("again");
      },
    });
    for (const thrown of [null, "text", hostile]) {
      const failure = await describeFailure(readThrown(thrown), { place: {} }, { root, findSource: noSource });
      expect(failureLines(failure, undefined).length).toBeGreaterThan(1);
    }
  });
});
