import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
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
import { type InstalledClients, installClients, namesOf } from "./installed-clients.ts";

const run = promisify(execFile);
const programOf = (name: string): string => fileURLToPath(new URL(`./clients/${name}.js`, import.meta.url));

/** With their dependencies these are 83 MB, and `sentry-cli` 23 MB. */
const plugins = { "@sentry/vite-plugin": "11.8.0", "@sentry/webpack-plugin": "11.8.0", webpack: "5.112.2" };
const commandLine = { "@sentry/cli-linux-x64": "3.8.0" };
const hasCommandLine = process.platform === "linux" && process.arch === "x64";
const packages = hasCommandLine ? { ...plugins, ...commandLine } : plugins;

let tools: InstalledClients;

beforeAll(() => {
  tools = installClients("upload-tools", packages);
}, 600_000);

afterAll(() => tools[Symbol.dispose]());

/** The environment that all of these tools read. */
async function environmentFor(service: RunningService, project = 1): Promise<NodeJS.ProcessEnv> {
  const made = await createUploadToken(await Projects.open(service.folder), project, { name: "tests", now: 1 });
  return {
    ...process.env,
    SENTRY_DSN: service.dsn,
    SENTRY_URL: new URL(service.dsn).origin,
    SENTRY_AUTH_TOKEN: made.kind === "created" ? made.token : expect.fail(made.why),
    SENTRY_ORG: "any",
    SENTRY_PROJECT: String(project),
  };
}

async function issuesOf(service: RunningService) {
  await service.filed();
  const store = openSqliteReader({ folder: join(service.folder, "store") });
  const { issues } = await store.issues({ project: 1, filter: everyIssue, sort: "last-seen", limit: 9 });
  const events = await Promise.all(issues.map(({ lastEventId }) => store.event(1, lastEventId)));
  const mapBytes = await store.sourceMapBytes();
  store.close();
  return { issues, events, mapBytes };
}

describe("an official tool that is installed for the test", () => {
  it.each([
    ["@sentry/vite-plugin", "vite", "main.mjs"],
    ["@sentry/webpack-plugin", "webpack", "main.cjs"],
  ])("%s uploads the map of a bundle, whose first error shows TypeScript lines", async (_, bundler, bundle) => {
    using data = dataFolder();
    await using service = await RunningService.start(data.path);
    const env = await environmentFor(service);
    const application = join(data.path, "application");
    mkdirSync(join(application, "src"), { recursive: true });
    writeFileSync(join(application, "src/main.ts"), 'import { totalOf } from "./cart.ts";\n\ntotalOf([]);\n');
    writeFileSync(
      join(application, "src/cart.ts"),
      `interface Item {
  readonly price: number;
}

export function totalOf(items: readonly Item[]): number {
  const [first] = items;
  if (first === undefined) throw new Error("The cart is empty.");
  return first.price;
}
`,
    );
    const bundling = [programOf("bundle"), bundler, tools.folder, application];
    const { stdout, stderr } = await run(process.execPath, bundling, { cwd: application, env });
    expect(stdout + stderr).toContain("Successfully uploaded source maps");

    const program = ["--import", programOf("report-errors"), join(application, "dist", bundle)];
    expect(spawnSync(process.execPath, program, { env }).status).toBe(1);
    const { issues, events } = await issuesOf(service);
    expect(issues).toMatchObject([{ title: "The cart is empty.", lastRelease: "shop@1.0.0" }]);
    expect(events).toMatchObject([{ body: { kind: "whole" } }]);
    const [event] = events;
    const frames = event?.body.kind === "whole" ? event.body.event.exceptions.at(-1)?.frames : undefined;
    expect(frames?.slice(-2)).toMatchObject([
      { filename: expect.stringMatching(/^\/?src\/main\.ts$/), line: 3, contextLine: "totalOf([]);" },
      {
        filename: expect.stringMatching(/^\/?src\/cart\.ts$/),
        function: "totalOf",
        line: 7,
        contextLine: '  if (first === undefined) throw new Error("The cart is empty.");',
        preContext: expect.arrayContaining(["export function totalOf(items: readonly Item[]): number {"]),
      },
    ]);
  });

  it.runIf(hasCommandLine)(
    "sentry-cli sends an event, uploads source maps, and makes and lists releases, commits and deploys",
    async () => {
      using data = dataFolder();
      await using service = await RunningService.start(data.path);
      const env = await environmentFor(service);
      const repository = join(data.path, "repository");
      const build = join(repository, "build");
      mkdirSync(build, { recursive: true });
      const program = join(tools.folder, "node_modules/@sentry/cli-linux-x64/bin/sentry-cli");
      const cli = (...args: string[]): string => {
        const { status, stdout, stderr } = spawnSync(program, args, { cwd: repository, encoding: "utf8", env });
        expect(status, `${args.join(" ")}: ${stderr}`).toBe(0);
        return stdout;
      };
      cli("send-event", "-m", "greetings from sentry-cli", "--release", "1.1");
      expect(await issuesOf(service)).toMatchObject({ issues: [{ title: "greetings from sentry-cli" }], mapBytes: 0 });

      writeFileSync(join(build, "cart.js"), 'throw new Error("empty");\n//# sourceMappingURL=cart.js.map\n');
      writeFileSync(join(build, "cart.js.map"), aMap("0".repeat(31)).replace(/,"debug_id":"0*"/, ""));
      cli("sourcemaps", "inject", build);
      for (let n = 0; n < 2; n++) cli("sourcemaps", "upload", "--release", "1.1", build);
      expect((await issuesOf(service)).mapBytes).toBeGreaterThan(0);

      const git = (...args: string[]): string =>
        spawnSync("git", ["-c", "user.name=Jo", "-c", "user.email=jo@example.org", ...args], {
          cwd: repository,
          encoding: "utf8",
        }).stdout.trim();
      git("init");
      git("add", ".");
      git("commit", "-m", "cart: totals");
      cli("releases", "new", "1.1");
      cli("releases", "set-commits", "1.1", "--local");
      cli("releases", "finalize", "1.1");
      cli(
        "deploys",
        "new",
        "--release",
        "1.1",
        "--env",
        "production",
        "--url",
        "https://shop.example",
        "--name",
        "blue",
      );
      cli("deploys", "new", "--release", "1.2", "--env", "staging");

      expect(cli("releases", "list", "--raw").split("\n")).toEqual(["1.2", "1.1", ""]);
      const table = cli("releases", "list", "--show-projects");
      expect(rowWith(table, "1.1")).toEqual([
        expect.stringContaining("ago"),
        "1.1",
        "1",
        "1",
        expect.stringMatching("ago"),
      ]);
      const info = cli("releases", "info", "1.1", "--show-projects", "--show-commits");
      expect(rowWith(info, "1.1")).toEqual([
        "1.1",
        expect.any(String),
        expect.any(String),
        "1",
        git("rev-parse", "HEAD"),
      ]);
      expect(rowWith(cli("deploys", "list", "--release", "1.1"), "production")).toContain("blue");
      keepProof("upload-tools", [`Against the running service: ${namesOf(packages)}.`]);
    },
  );
});

/** Cells of the row of a printed table in which a cell is `text`. */
function rowWith(table: string, text: string): string[] | undefined {
  const rows = table.split("\n").map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return rows.find((cells) => cells.includes(text));
}
