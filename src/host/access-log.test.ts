import { globSync } from "node:fs";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { Refusals } from "#bounds";
import { createAccessLog } from "./access-log.ts";
import { consoleRoutesWithSecrets } from "./console-mount.ts";

const request = Object.assign(new IncomingMessage(new Socket()), { method: "GET", url: "/orders/7?card=4111" });

test("A line says when to the millisecond, in every second, and nothing of the search or of what is secret in the path", () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    let written = "";
    const log = createAccessLog({
      write: (lines) => {
        written += lines;
      },
      cleanPath: (path) => path.replace("7", "[left-out]"),
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

test("Every route of the console with a secret in its path is known to the log", () => {
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
  // A minute's worth, and what came in while it was written.
  expect(written.length).toBeLessThan(70_000);
  expect(lines[0]?.path).toHaveLength(2_049);
  const leftOut = lines.reduce((sum, line) => sum + (line.leftOut ?? 0), 0);
  expect(leftOut + lines.filter(({ path }) => path !== undefined).length).toBe(times);
  expect(refusals.totals.get("log-lines")).toBe(leftOut);
});
