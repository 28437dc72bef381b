import { execFile, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Projects } from "../../src/service/projects.ts";
import { everyIssue } from "../../src/service/stores/filter-language.ts";
import { openSqliteReader } from "../../src/service/stores/sqlite/open-sqlite-store.ts";
import { aMap } from "../../src/service/uploads/bundles/bundle-examples.ts";
import { createUploadToken } from "../../src/service/uploads/upload-tokens.ts";
import { dataFolder, RunningService } from "../faults/running-service.ts";
import { keepProof } from "../kit/keep-proof.ts";

const run = promisify(execFile);
const programs = fileURLToPath(new URL("./clients/", import.meta.url));

/**
 * With their dependencies these are 300 MB, too much for every install of the repository. Captured requests cover them
 * otherwise.
 */
const packages = {
  "sentry-node-8": "npm:@sentry/node@8.55.2",
  "sentry-node-10": "npm:@sentry/node@10.78.0",
  "@opentelemetry/exporter-trace-otlp-http": "0.223.1",
  "@opentelemetry/exporter-trace-otlp-proto": "0.223.1",
  "@opentelemetry/sdk-trace-base": "2.12.0",
};
const commandLine = { "@sentry/cli-linux-x64": "3.8.0" };
const hasCommandLine = process.platform === "linux" && process.arch === "x64";

describe("an official client that is installed for the test", () => {
  let folder: string;
  let scratch: ReturnType<typeof dataFolder> | undefined;

  beforeAll(() => {
    // A folder with the installed packages, to run again without the network.
    scratch = process.env.HOLDFAST_CLIENTS === undefined ? dataFolder() : undefined;
    folder = process.env.HOLDFAST_CLIENTS ?? join(scratch?.path ?? "", "clients");
    if (!existsSync(join(folder, "node_modules"))) {
      mkdirSync(folder, { recursive: true });
      const dependencies = hasCommandLine ? { ...packages, ...commandLine } : packages;
      writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }));
      const installed = spawnSync("npm", ["install", "--ignore-scripts"], { cwd: folder, encoding: "utf8" });
      expect(installed.status, installed.stderr).toBe(0);
    }
    for (const program of ["send.js", "export.js"]) copyFileSync(join(programs, program), join(folder, program));
  }, 600_000);

  afterAll(() => scratch?.[Symbol.dispose]());

  it.each(["sentry-node-8", "sentry-node-10"])(
    "%s reports an error with its cause, a message and a trace",
    async (client) => {
      using data = dataFolder();
      await using service = await RunningService.start(data.path);
      await run(process.execPath, ["send.js", client, service.dsn], { cwd: folder });
      await service.filed();
      const store = openSqliteReader({ folder: join(data.path, "store") });
      const { issues } = await store.issues({ project: 1, filter: everyIssue, sort: "last-seen", limit: 9 });
      expect(issues.map(({ title, level }) => [title, level]).sort()).toEqual([
        [expect.stringContaining(`greetings from ${client}`), "warning"],
        [expect.stringContaining(`the cart of ${client} is empty`), "error"],
      ]);
      const [segment] = await store.segments({
        project: 1,
        route: "/checkout",
        from: 0,
        to: Date.now() + 60_000,
        limit: 1,
      });
      const { spans } = await store.trace(1, segment?.traceId ?? "");
      expect(spans.map(({ name }) => name)).toEqual(expect.arrayContaining(["/checkout", "SELECT cart"]));
      store.close();
    },
  );

  it.each(["http", "proto"])("OpenTelemetry's exporter (%s) sends a span and the exception in it", async (form) => {
    using data = dataFolder();
    await using service = await RunningService.start(data.path);
    const { origin, username } = new URL(service.dsn);
    const address = `${origin}/api/1/integration/otlp/v1/traces`;
    await run(process.execPath, ["export.js", form, address, username], { cwd: folder });
    await service.filed();
    const store = openSqliteReader({ folder: join(data.path, "store") });
    const { issues } = await store.issues({ project: 1, filter: everyIssue, sort: "last-seen", limit: 9 });
    expect(issues).toMatchObject([{ type: "RangeError", title: `no items in ${form}` }]);
    const route = `/exported/${form}`;
    expect(await store.segments({ project: 1, route, from: 0, to: Date.now() + 60_000, limit: 9 })).toHaveLength(1);
    store.close();
  });

  it.runIf(hasCommandLine)(
    "sentry-cli sends an event, and uploads source maps, commits and deploys with a token",
    async () => {
      using data = dataFolder();
      await using service = await RunningService.start(data.path);
      const program = join(folder, "node_modules/@sentry/cli-linux-x64/bin/sentry-cli");
      const { origin } = new URL(service.dsn);
      const made = await createUploadToken(await Projects.open(data.path), 1, { name: "tests", now: 1 });
      const env = {
        ...process.env,
        SENTRY_DSN: service.dsn,
        SENTRY_URL: origin,
        SENTRY_AUTH_TOKEN: made.kind === "created" ? made.token : "",
        SENTRY_ORG: "o",
        SENTRY_PROJECT: "1",
      };
      const cli = (...args: string[]) => spawnSync(program, args, { cwd: folder, encoding: "utf8", env });
      expect(cli("send-event", "-m", "greetings from sentry-cli").status).toBe(0);
      await service.filed();
      const store = openSqliteReader({ folder: join(data.path, "store") });
      const { issues } = await store.issues({ project: 1, filter: everyIssue, sort: "last-seen", limit: 9 });
      expect(issues).toMatchObject([{ title: "greetings from sentry-cli" }]);
      store.close();
      const build = join(data.path, "build");
      mkdirSync(build);
      writeFileSync(join(build, "cart.js"), 'throw new Error("empty");\n//# sourceMappingURL=cart.js.map\n');
      writeFileSync(join(build, "cart.js.map"), aMap("0".repeat(31)).replace(/,"debug_id":"0*"/, ""));
      for (const args of [
        ["sourcemaps", "inject", build],
        ["sourcemaps", "upload", "--release", "1.0", build],
        ["sourcemaps", "upload", "--release", "1.0", build],
        ["releases", "new", "1.0"],
        ["releases", "finalize", "1.0"],
        ["deploys", "new", "--release", "1.0", "--env", "production"],
      ]) {
        const { status, stderr } = cli(...args);
        expect(status, `${args.join(" ")}: ${stderr}`).toBe(0);
      }
      expect(cli("deploys", "list", "--release", "1.0").stdout).toContain("production");
      const after = openSqliteReader({ folder: join(data.path, "store") });
      expect(await after.sourceMapBytes()).toBeGreaterThan(0);
      after.close();
      keepProof("real-clients", [
        `Against the running service: ${Object.entries({ ...packages, ...commandLine })
          .map(([name, version]) => `${name} ${version}`)
          .join(", ")}.`,
      ]);
    },
  );
});
