import { existsSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import {
  configFiles,
  type LimitRange,
  ownRanges,
  problemOfAssets,
  problemOfExtensions,
  problemOfImages,
  problemOfLimit,
  problemOfTrailingSlash,
  readAddressRules,
  readLanguages,
  tagHeaders,
  textDirection,
  textNames,
} from "#pages";
import type { ReportSettings } from "#reporting/settings";
import { isNetwork } from "#service";
import { problemOfDirective } from "./directive-names.ts";
import { hostErrors } from "./errors.ts";
import { problemsOfHeaders } from "./header-rules.ts";
import { problemsOfLimits } from "./limit-settings.ts";
import type { EdgeSettings, HoldfastConfig, ReleaseSettings, SubmissionSettings } from "./settings.ts";

/** Reads and checks the application's settings. The error names every wrong setting at once. */
export async function readConfig(root: string): Promise<HoldfastConfig> {
  const file = configFiles.map((name) => path.join(root, name)).find((one) => existsSync(one));
  if (!file) return {};
  const module: { default?: unknown } = await import(pathToFileURL(file).href);
  const problems = problemsOf(module.default);
  if (problems.length > 0) throw hostErrors.wrongConfig(path.basename(file), problems);
  return module.default as HoldfastConfig;
}

type Check = (value: unknown) => string | undefined;

const isText: Check = (value) => (typeof value === "string" && value !== "" ? undefined : "must be a text");
const isLanguage: Check = (value) =>
  typeof value === "string" && textDirection(value) !== undefined
    ? undefined
    : "must be a language tag such as en or pt-BR";
const isSwitch: Check = (value) => (typeof value === "boolean" ? undefined : "must be true or false");
const isTexts: Check = (value) =>
  Array.isArray(value) && value.every((one) => typeof one === "string") ? undefined : "must be a list of texts";
const isOrigin: Check = (value) =>
  isOriginText(value) ? undefined : "must be an origin such as https://shop.example, without a path";
const isOrigins: Check = (value) =>
  Array.isArray(value) && value.every(isOriginText)
    ? undefined
    : "must be a list of origins such as https://shop.example";
const isHosts: Check = (value) =>
  Array.isArray(value) &&
  value.every((one) => typeof one === "string" && /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i.test(one))
    ? undefined
    : "must be a list of hosts such as shop.example or *.shop.example, without a port";
const isPostgres: Check = (value) =>
  typeof value === "string" && /^postgres(?:ql)?:\/\/./.test(value)
    ? undefined
    : "must be the address of a PostgreSQL database: postgres://user:password@host/database";
const isNetworks: Check = (value) => {
  const wanted = "must be a list of addresses and networks such as 10.0.0.1 or 10.0.0.0/8";
  if (!Array.isArray(value)) return wanted;
  const wrong = value.filter((one) => typeof one !== "string" || !isNetwork(one));
  return wrong.length === 0 ? undefined : `${wanted}, not ${quoted(wrong)}`;
};
const isDirectives: Check = (value) => {
  if (!isSettings(value) || !Object.values(value).every((one) => isTexts(one) === undefined))
    return 'must list sources by directive: { "img-src": ["https://images.example"] }';
  const wrong = Object.keys(value).flatMap((name) => {
    const problem = problemOfDirective(name);
    if (problem === undefined) return [];
    return problem.kind === "malformed" ? [quoted([name])] : [`${quoted([name])} (probably "${problem.meant}")`];
  });
  if (wrong.length > 0) return `must name directives such as "img-src", not ${wrong.join(", ")}`;
  const sources = Object.values(value)
    .flat()
    .filter((one) => !isSource.test(String(one)));
  return sources.length === 0
    ? undefined
    : `must list each source as a text of its own, in ASCII without , or ;, not ${quoted(sources)}`;
};
/** Printable ASCII. A comma would begin another policy, a semicolon another directive (CSP level 3, section 2.2). */
const isSource = /^[ -+\--:<-~]*$/;

const isConsole: Check = (value) =>
  typeof value === "object" &&
  value !== null &&
  Object.entries(value).every(([name, one]) => name === "authorize" && typeof one === "function")
    ? undefined
    : "must be { authorize: a function that says who may see the console }";

const resendRange: LimitRange = {
  least: 0,
  leastWhy: "0 turns it off",
  most: 23,
  mostWhy: "the memory of submissions has 24 hours, and what is forgotten would run twice",
  unit: "number",
};

const submissionChecks: Readonly<Record<keyof SubmissionSettings, Check>> = {
  actionSeconds: (value) => problemOfLimit(value, ownRanges.work),
  memory: (value) =>
    value === "shared" || value === "local" || value === "off" ? undefined : 'must be "shared", "local" or "off"',
  resendHours: (value) => problemOfLimit(value, resendRange),
};

const releaseChecks: Readonly<Record<keyof ReleaseSettings, Check>> = {
  healing: (value) =>
    value === "off" || value === "warn" || value === "heal" ? undefined : 'must be "off", "warn" or "heal"',
  data: isText,
};

const edgeChecks: Readonly<Record<keyof EdgeSettings, Check>> = {
  tagHeader: (value) =>
    tagHeaders.includes(String(value))
      ? undefined
      : `must be one of ${tagHeaders.map((name) => `"${name}"`).join(", ")}`,
  keyCookies: isTexts,
  unpurgedSeconds: (value) =>
    problemOfLimit(value, {
      least: 0,
      leastWhy: "0 makes it ask each time",
      most: 31_536_000,
      mostWhy: "what is a year old misleads",
      unit: "seconds",
    }),
  tagBytes: (value) =>
    problemOfLimit(value, {
      least: 100,
      leastWhy: "the path of a page is a tag",
      most: 16_384,
      mostWhy: "no CDN reads more",
      unit: "bytes",
    }),
};

const checks: Readonly<Record<keyof HoldfastConfig, Check>> = {
  lang: isLanguage,
  origin: isOrigin,
  hosts: isHosts,
  trustedProxies: isNetworks,
  trustedOrigins: isOrigins,
  redirectOrigins: isOrigins,
  csp: isDirectives,
  headers: () => undefined,
  redirects: () => undefined,
  rewrites: () => undefined,
  languages: () => undefined,
  trailingSlash: problemOfTrailingSlash,
  assets: problemOfAssets,
  pageExtensions: problemOfExtensions,
  nativePackages: isTexts,
  images: problemOfImages,
  edge: () => undefined,
  hsts: isSwitch,
  report: () => undefined,
  store: isPostgres,
  console: isConsole,
  visitorAnswers: isSwitch,
  releases: () => undefined,
  submissions: () => undefined,
  limits: (value) => (isSettings(value) ? undefined : "must be an object of settings"),
};

const isRate: Check = (value) =>
  typeof value === "function" || (typeof value === "number" && value >= 0 && value <= 1)
    ? undefined
    : "must be a number from 0 to 1, or a function that returns one";
const isPatterns: Check = (value) =>
  Array.isArray(value) && value.every((one) => typeof one === "string" || one instanceof RegExp)
    ? undefined
    : "must be a list of texts and regular expressions";
const isScrub: Check = (value) =>
  Array.isArray(value) && value.includes("")
    ? "must have no empty text: every name contains it, so that all values would be left out"
    : isPatterns(value);
const isOwnPath: Check = (value) =>
  typeof value === "string" && /^\/[\w./-]+$/.test(value) ? undefined : "must be a path such as /_holdfast/post";

const reportChecks: Readonly<Record<keyof ReportSettings, Check>> = {
  // A wrong DSN must not stop the application; reporting logs what is wrong with it.
  dsn: () => undefined,
  environment: isText,
  release: isText,
  sampleRate: isRate,
  sendDefaults: isSwitch,
  scrub: isScrub,
  targets: isPatterns,
  tunnelPath: isOwnPath,
};

function problemsOf(config: unknown): string[] {
  if (!isSettings(config))
    return ["the default export must be an object: export default { … } satisfies HoldfastConfig"];
  const groups = { edge: edgeChecks, report: reportChecks, releases: releaseChecks, submissions: submissionChecks };
  return [
    ...wrongSettings(config, checks),
    ...(config.headers === undefined ? [] : problemsOfHeaders(config.headers)),
    ...(isSettings(config.limits) ? problemsOfLimits(config.limits) : []),
    ...readAddressRules(config.redirects, config.rewrites).problems,
    ...problemsOfLanguages(config),
    ...Object.entries(groups).flatMap(([name, table]) => wrongGroup(name, config[name], table)),
  ];
}

function problemsOfLanguages({ languages: settings, origin, lang }: Readonly<Record<string, unknown>>): string[] {
  const { languages, problems } = readLanguages(settings);
  const hasDomains = languages?.table.list.some(({ domain }) => domain !== undefined);
  const named = Object.entries(languages?.texts ?? {}).flatMap(([one, texts]) => {
    const missing = textNames.filter((name) => texts[name] === undefined);
    const unknown = Object.keys(texts).filter((name) => !textNames.includes(name));
    return [
      ...(missing.length > 0 ? [`languages.list: the texts of ${one} lack ${missing.join(", ")}`] : []),
      ...(unknown.length > 0 ? [`languages.list: the texts of ${one} have unknown names: ${unknown.join(", ")}`] : []),
    ];
  });
  return [
    ...problems,
    ...named,
    ...(languages && lang !== undefined ? ["lang must be left out beside languages, which has a default"] : []),
    ...(hasDomains && origin !== undefined
      ? ["origin must be left out where languages have domains of their own"]
      : []),
  ];
}

function wrongGroup(name: string, settings: unknown, table: Readonly<Record<string, Check>>): string[] {
  if (settings === undefined) return [];
  return isSettings(settings) ? wrongSettings(settings, table, `${name}.`) : [`${name} must be an object of settings`];
}

function isSettings(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function wrongSettings(
  settings: Readonly<Record<string, unknown>>,
  table: Readonly<Record<string, Check>>,
  prefix = "",
): string[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    const check = Object.hasOwn(table, name) ? table[name] : undefined;
    if (!check) return [`${prefix}${name} is not known (known: ${Object.keys(table).join(", ")})`];
    const problem = value === undefined ? undefined : check(value);
    return problem ? [`${prefix}${name} ${problem}`] : [];
  });
}

function quoted(values: readonly unknown[]): string {
  return values.map((one) => JSON.stringify(one)).join(", ");
}

function isOriginText(value: unknown): boolean {
  return typeof value === "string" && URL.canParse(value) && new URL(value).origin === value;
}
