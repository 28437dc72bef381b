import { globSync } from "node:fs";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { Refusals } from "#bounds";
import { createAccessLog } from "./access-log.ts";
import { LoggedFailures } from "./logged-failures.ts";
import { consoleRoutesWithSecrets } from "./service/console-mount.ts";

const request = Object.assign(new IncomingMessage(new Socket()), { method: "GET", url: "/orders/7?card=4111" });

test("A line has the time in milliseconds, and neither the search nor secrets of the path", () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    let written = "";
    const log = createAccessLog({
      write: (lines) => {
        written += lines;
      },
      cleanPath: (path) => path.replace("7", "[left-out]"),
      failureOf: () => undefined,
    });
    const moments = ["2026-01-01T00:00:00.007Z", "2026-01-01T00:00:00.070Z", "2026-01-01T00:00:01.700Z"];
    for (const moment of moments) {
      vi.setSystemTime(new Date(moment));
      log.log(request, new ServerResponse(request), performance.now(), "127.0.0.1");
    }
    log.flush();
    const lines = written
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ time }) => time)).toEqual(moments);
    expect(lines[0]).toMatchObject({ method: "GET", path: "/orders/[left-out]", status: 200, client: "127.0.0.1" });
    expect(written).not.toContain("4111");
  } finally {
    vi.useRealTimers();
  }
});

test("A log of failed requests has no line for the others", () => {
  let written = "";
  const failures = new LoggedFailures((text) => text);
  const log = createAccessLog({
    write: (lines) => {
      written += lines;
    },
    which: "failed",
    cleanPath: (path) => path,
    failureOf: (incoming) => failures.of(incoming),
  });
  for (const url of ["/fine", "/broken"]) {
    const incoming = Object.assign(new IncomingMessage(new Socket()), { method: "GET", url });
    if (url === "/broken") failures.note(incoming, new Error("no stock"), "7K2M-9QXD-4TBA");
    log.log(incoming, new ServerResponse(incoming), performance.now(), "127.0.0.1");
  }
  log.flush();
  expect(JSON.parse(written)).toMatchObject({ path: "/broken", error: "Error: no stock", digest: "7K2M-9QXD-4TBA" });
});

test("The line of a failed request has the digest and the message without secrets", () => {
  let written = "";
  const failures = new LoggedFailures((text) => text.replace("hunter2", "[left-out]"));
  const log = createAccessLog({
    write: (lines) => {
      written += lines;
    },
    cleanPath: (path) => path,
    failureOf: (incoming) => failures.of(incoming),
  });
  const logged = (error: unknown): unknown => {
    const incoming = Object.assign(new IncomingMessage(new Socket()), { method: "GET", url: "/" });
    failures.note(incoming, error, "7K2M-9QXD-4TBA");
    written = "";
    log.log(incoming, new ServerResponse(incoming), performance.now(), "127.0.0.1");
    log.flush();
    return JSON.parse(written);
  };
  const digest = "7K2M-9QXD-4TBA";
  expect(logged(new TypeError('no "hunter2"\nand a second line'))).toMatchObject({
    digest,
    error: 'TypeError: no "[left-out]"',
  });
  expect(logged(null)).toMatchObject({ digest, error: "null" });
  const hostile = {
    toString: () => {
      throw new Error("no");
    },
  };
  expect(logged(hostile)).toMatchObject({ digest, error: "something that throws when it is looked at" });
  expect((logged("x".repeat(10_000)) as { error: string }).error).toHaveLength(300);
});

test("The log knows every route of the console with a secret in its path", () => {
  const pages = fileURLToPath(new URL("../../console/src/pages", import.meta.url));
  const secrets = globSync("**/*.tsx", { cwd: pages }).filter((file) => /\[.*(?:secret|token|key|code).*\]/.test(file));
  expect(secrets.map((file) => `/_holdfast/${file.replace(/\.tsx$/, "")}`)).toEqual(consoleRoutesWithSecrets);
});

test("A flood of requests fills no disk: lines beyond the bound are left out and counted, and a path has a bounded length", () => {
  let written = "";
  const refusals = new Refusals();
  const log = createAccessLog({
    write: (lines) => {
      written += lines;
    },
    cleanPath: (path) => path,
    bytesPerSecond: 1_000,
    refusals,
  });
  const long = Object.assign(new IncomingMessage(new Socket()), { method: "GET", url: `/${"x".repeat(16_000)}` });
  const times = 10_000;
  for (let count = 0; count < times; count++) log.log(long, new ServerResponse(long), performance.now(), "127.0.0.1");
  log.flush();
  const lines = written
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { path?: string; leftOut?: number });
  // A burst of one minute, and the lines that came in while it was written.
  expect(written.length).toBeLessThan(70_000);
  expect(lines[0]?.path).toHaveLength(2_049);
  const leftOut = lines.reduce((sum, line) => sum + (line.leftOut ?? 0), 0);
  expect(leftOut + lines.filter(({ path }) => path !== undefined).length).toBe(times);
  expect(refusals.totals.get("log-lines")).toBe(leftOut);
});
