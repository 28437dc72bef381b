import { existsSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import path from "node:path";
import { openSources, problemsOfRules, readApplication, readManifest, readRulesOf } from "#build";
import { messageOf } from "#errors";
import {
  changedDefaults,
  environmentReaders,
  type HoldfastConfig,
  isFrameworkError,
  probeService,
  readConfig,
} from "#host";
import { allSettingReaders, ownVersion, type SettingReader, wrongSettings } from "#service";
import { startReaders } from "../serving.ts";
import { databaseFindings } from "./database-findings.ts";
import type { DoctorFinding } from "./finding.ts";
import { languageFindings } from "./language-findings.ts";
import { limitFindings } from "./limit-findings.ts";
import { releaseFinding } from "./release-finding.ts";
import { type StoreExamination, storeFinding } from "./store-finding.ts";

export interface DoctorTarget {
  root: string;
  dataFolder: string;
  port: number;
  store: StoreExamination;
}

/** Reports wait on this disk while their service is unavailable, 64 MiB at most, and the store grows beside them. */
const enoughDiskBytes = 1_073_741_824;
const knockMs = 5_000;

/** Checks everything that an application needs. Changes nothing. */
export async function findings({ root, dataFolder, port, store }: DoctorTarget): Promise<DoctorFinding[]> {
  const node: DoctorFinding = {
    kind: "good",
    about: "Node",
    message: `${process.versions.node}, ${process.platform} ${process.arch}`,
  };
  const config = (await readConfig(root).catch(() => undefined)) ?? {};
  const database = config.store ?? process.env.HOLDFAST_STORE;
  const shared = database ? await databaseFindings(database, process.env.HOLDFAST_SECRET) : [];
  const isOfService = existsSync(path.join(dataFolder, "projects.json"));
  // The data folder of a standalone service, without an application.
  if (isOfService && !existsSync(path.join(root, "src", "pages")))
    return [
      node,
      ...variables(allSettingReaders),
      ...disk(dataFolder),
      ...shared,
      await storeFinding(dataFolder, store, database),
    ];
  return [
    node,
    ...packages(root),
    await routes(root),
    ...(await hooks(root)),
    ...(await configuration(root)),
    ...(await languageFindings(root)),
    ...(await redirects(root)),
    ...(await limitFindings(root)),
    ...variables([...startReaders({}), ...environmentReaders({ config, development: false }, undefined)]),
    await environmentOf(root),
    await built(root),
    ...(await releaseFinding(dataFolder)),
    await portIsFree(port),
    ...disk(dataFolder),
    ...shared,
    await storeFinding(isOfService ? dataFolder : path.join(dataFolder, "data"), store, database),
  ];
}

function packages(root: string): DoctorFinding[] {
  const about = "Packages";
  const require = createRequire(path.join(root, "package.json"));
  const react = versionOf(require, "react");
  const dom = versionOf(require, "react-dom");
  if (react === undefined || dom === undefined)
    return [{ kind: "bad", about, message: "react and react-dom are not installed. Run: npm install react react-dom" }];
  if (react !== dom)
    return [
      {
        kind: "bad",
        about,
        message: `react ${react} and react-dom ${dom} differ. Run: npm install react@${dom} react-dom@${dom}`,
      },
    ];
  const locked = ["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock"];
  const lock = locked.find((file) => existsSync(path.join(root, file)));
  return [
    { kind: "good", about, message: `holdfast ${ownVersion()}, react ${react}` },
    lock
      ? { kind: "good", about: "Lock file", message: lock }
      : { kind: "notice", about: "Lock file", message: "none: the next installation may bring other versions" },
  ];
}

function versionOf(require: NodeJS.Require, name: string): string | undefined {
  try {
    const { version }: { version?: unknown } = JSON.parse(
      readFileSync(require.resolve(`${name}/package.json`), "utf8"),
    );
    return String(version);
  } catch {
    return undefined;
  }
}

async function routes(root: string): Promise<DoctorFinding> {
  const about = "Routes";
  try {
    const { table } = await readApplication(root);
    const pages = table.routes.filter(({ kind }) => kind === "page").length;
    if (table.routes.length === 0)
      return { kind: "bad", about, message: `no page files in ${path.join(root, "src/pages")}` };
    return { kind: "good", about, message: `${pages} pages, ${table.routes.length - pages} API routes` };
  } catch (error) {
    return { kind: "bad", about, message: messageOf(error) };
  }
}

/** The files with hooks of requests and of the process. They are not loaded: that might connect to databases. */
async function hooks(root: string): Promise<DoctorFinding[]> {
  const application = await readApplication(root).catch(() => undefined);
  const files = [application?.request, application?.lifecycle].filter((file) => file !== undefined);
  if (files.length === 0) return [];
  return [{ kind: "good", about: "Hooks", message: files.map((file) => path.relative(root, file)).join(", ") }];
}

/** The tables are checked beside the routes, as a build does. */
async function redirects(root: string): Promise<DoctorFinding[]> {
  const about = "Redirects";
  try {
    const [application, rules] = await Promise.all([readApplication(root), readRulesOf(root)]);
    if (rules.length === 0) return [];
    const problems = problemsOfRules(rules, application, []);
    // A build knows more: which paths another server answers, by its Vite plugin.
    if (problems.length > 0) return problems.map((message) => ({ kind: "notice", about, message }));
    const count = (kind: "redirect" | "rewrite"): number => rules.filter((rule) => rule.kind === kind).length;
    return [{ kind: "good", about, message: `${count("redirect")} redirects, ${count("rewrite")} rewrites` }];
  } catch {
    // The findings about routes and settings say why.
    return [];
  }
}

async function configuration(root: string): Promise<DoctorFinding[]> {
  try {
    const config = await readConfig(root);
    const settings = Object.keys(config);
    const message = settings.length === 0 ? "all defaults" : settings.join(", ");
    const headers = changedDefaults(config.headers).map(
      (change): DoctorFinding => ({ kind: "notice", about: "Headers", message: change }),
    );
    return [{ kind: "good", about: "Settings", message: message }, hosts(config), ...headers, await reports(config)];
  } catch (error) {
    return [{ kind: "bad", about: "Settings", message: messageOf(error) }];
  }
}

function hosts({ hosts, origin }: HoldfastConfig): DoctorFinding {
  const about = "Hosts";
  if (hosts) return { kind: "good", about, message: `only ${hosts.join(", ")} and names of this machine are answered` };
  if (origin) return { kind: "good", about, message: `every host is answered, as ${origin}` };
  return {
    kind: "notice",
    about,
    message:
      "every host is answered, and url.origin is the one that a request names; set origin or hosts before links with it leave the application, in mails for example",
  };
}

async function reports({ report }: HoldfastConfig): Promise<DoctorFinding> {
  const about = "Reports";
  if (report?.dsn === undefined) return { kind: "good", about, message: "go to the service inside the application" };
  const answer = await probeService(report.dsn, knockMs);
  if (answer.kind === "open") return { kind: "good", about, message: `${answer.host} takes reports with this DSN` };
  return { kind: "bad", about, message: answer.why };
}

/** Names what would stop the start. */
function variables(readers: readonly SettingReader[]): DoctorFinding[] {
  return wrongSettings(readers, process.env).map(({ message }) => ({ kind: "bad", about: "Environment", message }));
}

/** Runs `src/env.server.ts` as a start would. */
async function environmentOf(root: string): Promise<DoctorFinding> {
  const about = "Environment";
  const { environment } = await readApplication(root).catch(() => ({ environment: undefined }));
  if (environment === undefined) return { kind: "good", about, message: "nothing is asked for (src/env.server.ts)" };
  const sources = await openSources({ root, watch: false });
  try {
    await sources.serverModule();
    return { kind: "good", about, message: "as src/env.server.ts asks for" };
  } catch (error) {
    const wrong = isFrameworkError(error) && error.code === "wrong-environment";
    return {
      kind: "bad",
      about,
      message: wrong ? error.message : `src/env.server.ts cannot be run: ${messageOf(error)}`,
    };
  } finally {
    await sources.close();
  }
}

async function built(root: string): Promise<DoctorFinding> {
  const about = "Build";
  const manifest = await readManifest(path.join(root, "dist"));
  if (!manifest) return { kind: "notice", about, message: "none yet; `holdfast build` makes one" };
  return { kind: "good", about, message: `${manifest.build}, ${manifest.routes.length} routes` };
}

function portIsFree(port: number): Promise<DoctorFinding> {
  const about = "Port";
  const { promise, resolve } = Promise.withResolvers<DoctorFinding>();
  const server = createServer();
  server.once("error", () =>
    resolve({ kind: "notice", about, message: `${port} is taken; the next free one would be used` }),
  );
  server.listen(port, "localhost", () =>
    server.close(() => resolve({ kind: "good", about, message: `${port} is free` })),
  );
  return promise;
}

function disk(dataFolder: string): DoctorFinding[] {
  const about = "Data folder";
  const probe = path.join(dataFolder, `doctor-${process.pid}`);
  try {
    mkdirSync(dataFolder, { recursive: true });
    writeFileSync(probe, "x", { flush: true });
    rmSync(probe);
    const { bavail, bsize } = statfsSync(dataFolder);
    const free = bavail * bsize;
    const message = `${dataFolder} can be written, ${(free / 1e9).toFixed(1)} GB free`;
    return [{ kind: free < enoughDiskBytes ? "notice" : "good", about, message: message }];
  } catch (error) {
    return [{ kind: "bad", about, message: `${dataFolder} cannot be written: ${messageOf(error)}` }];
  }
}
