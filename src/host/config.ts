import { existsSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import {
  configFiles,
  type EdgePolicy,
  type ImageSettings,
  type LanguageSettings,
  type LimitRange,
  ownRanges,
  problemOfAssets,
  problemOfExtensions,
  problemOfImages,
  problemOfLimit,
  problemOfTrailingSlash,
  type RedirectSetting,
  type RewriteSetting,
  readAddressRules,
  readLanguages,
  type Texts,
  tagHeaders,
  textDirection,
  textNames,
} from "#pages";
import type { ReportSettings } from "#reporting";
import type { Authorize } from "#service";
import { hostErrors } from "./errors.ts";
import { type HeaderSettings, problemsOfHeaders } from "./header-rules.ts";
import { type LimitSettings, problemsOfLimits } from "./limit-settings.ts";
import type { Healing } from "./releases/release-messages.ts";

/**
 * Type of `holdfast.config.ts`. Every setting has a default, so the file is optional. There is no `defineConfig`
 * function, because it would have to be loaded at every start.
 */
export interface HoldfastConfig {
  /** Language of the documents, `en`. */
  lang?: string;
  /**
   * Address by which visitors reach the application, for example `https://shop.example`. Defaults to the request's own
   * host.
   */
  origin?: string;
  /**
   * Host names that are answered, `shop.example` or `*.shop.example`; others get a 421. IP addresses and the names of
   * this machine are always answered. Without this setting, production answers every host, and development only those.
   */
  hosts?: readonly string[];
  /** Addresses of proxies whose `X-Forwarded-*` headers are trusted. */
  trustedProxies?: readonly string[];
  /** Other origins whose pages may post to this application. */
  trustedOrigins?: readonly string[];
  /** Other origins that `redirect` may lead to. */
  redirectOrigins?: readonly string[];
  /** Additions to the content security policy, by directive. */
  csp?: Readonly<Record<string, readonly string[]>>;
  /**
   * Response headers by pattern of the path: `/**` is every path, `/embed/**` that path and everything below it,
   * `/fonts/*.woff2` a part of one segment. Of several patterns the last one wins. `false` removes a header that is
   * sent by default. `Cache-Control` is for the files of `public`; pages export `cache`.
   *
   * @example
   * headers: {
   *   "/stores/**": { "Permissions-Policy": "geolocation=(self)" },
   *   "/fonts/*.woff2": { "Cache-Control": "public, max-age=86400" },
   * }
   */
  headers?: HeaderSettings;
  /**
   * Old paths and where they are now. Answered before any code of the application runs. The build checks them.
   *
   * @example
   * redirects: [{ from: "/orders/[id]", to: "/account/orders/[id]", permanent: true }]
   */
  redirects?: readonly RedirectSetting[];
  /**
   * Paths that a page or API route of another path answers, or another server. The visitor's address stays.
   *
   * @example
   * rewrites: [{ from: "/shop/[...rest]", to: "http://old-server:8080/shop/[...rest]" }]
   */
  rewrites?: readonly RewriteSetting[];
  /**
   * The languages of the pages. One tree of pages answers in all of them: `/about` in the default language, `/de/about`
   * in German. The build writes them into the application.
   *
   * @example
   * languages: { list: ["en", "de", "ar"] }
   */
  languages?: LanguageSettings<Texts>;
  /**
   * Whether addresses of pages end with a slash: `/about`, or with `always` `/about/`. The other spelling is redirected
   * to it. The build writes it into the application.
   */
  trailingSlash?: "never" | "always";
  /**
   * Where browsers get the files of the build, if not from the application: `https://cdn.example/shop`. The CDN has
   * what is in `dist/browser`. The build writes it into the files.
   */
  assets?: string;
  /**
   * Extensions of page files beside `tsx` and `jsx`, for a plugin that makes components of them. The build reads it.
   *
   * @example
   * pageExtensions: ["mdx"]
   */
  pageExtensions?: readonly string[];
  /** Packages with compiled parts, which the build leaves where they are installed. The build reads it. */
  nativePackages?: readonly string[];
  /** How the build makes the images that are imported with `?image`. The build reads it. */
  images?: ImageSettings;
  /**
   * The CDN or proxy in front of the application: it may store pages that export `cache = { … }`. Without this setting
   * only the server and browsers do.
   *
   * @example
   * edge: { tagHeader: "Cache-Tag" }
   */
  edge?: EdgeSettings;
  /**
   * Sends `Strict-Transport-Security`, so that browsers return over https only. On by default where the origin is
   * https.
   */
  hsts?: boolean;
  /** Destination and content of error reports and traces. */
  report?: ReportSettings;
  /**
   * Address of the PostgreSQL database in which the embedded service stores reports, `postgres://user@host/database`.
   * Defaults to `HOLDFAST_STORE`, or else the data folder.
   */
  store?: string;
  /** The console at `/_holdfast`. */
  console?: ConsoleSettings;
  /**
   * Whether visitors can look up a digest at `/_holdfast/answer`, and error pages lead there. They learn whether the
   * error is known, in repair or repaired, and nothing else. On by default, except with `report.dsn`: set it to true
   * there if that is a `holdfast service`, which is then asked.
   */
  visitorAnswers?: boolean;
  /** What happens to a route that fails after a deployment. */
  releases?: ReleaseSettings;
  /** Actions, and the memory of submissions. */
  submissions?: SubmissionSettings;
  /** Limits of requests, and of what all visitors share. */
  limits?: LimitSettings;
}

export interface EdgeSettings extends Partial<EdgePolicy> {
  /**
   * Header with the tags of a page: `Surrogate-Key` (Fastly), `Cache-Tag` (Cloudflare), `Edge-Cache-Tag` (Akamai),
   * `xkey` (Varnish). Set it if tags are purged there when `invalidate` names them here.
   */
  tagHeader?: NonNullable<EdgePolicy["tagHeader"]>;
  /** Cookies of `vary` that are part of the cache key there; none. */
  keyCookies?: readonly string[];
  /** Without `tagHeader`: for how many seconds a page is stored at most, because no purge reaches it; 10. */
  unpurgedSeconds?: number;
  /** Longest text of that header; 8,000. A page with more tags is not stored there, because a purge would miss it. */
  tagBytes?: number;
}

export interface ReleaseSettings {
  /**
   * What happens to a route that fails more often than in the release before. `warn`: an issue says so. `heal`: the
   * build before answers it until the new one works. `off`: nothing is counted. Default `warn`.
   */
  healing?: Healing;
  /**
   * Name of the form of stored data, such as the number of a migration. Between releases with different names no route
   * is healed.
   */
  data?: string;
}

export interface SubmissionSettings {
  /** Time limit of an action, in seconds: 60. */
  actionSeconds?: number;
  /**
   * Scope of the memory of submissions. `shared`: all processes that serve this address use the same data folder.
   * `local`: other machines serve it too, so a submission that is unknown here may have arrived there. `off`: no
   * memory, and a form that is sent twice runs twice. Defaults to `local` where `HOLDFAST_SECRET` is set, else
   * `shared`.
   */
  memory?: "shared" | "local" | "off";
  /**
   * For how many hours a browser may send again by itself what it sent to an action with `keeps` and got no outcome
   * for: 20. At most 23, because the memory of submissions has 24 hours. 0: never, and browsers store nothing.
   */
  resendHours?: number;
}

export interface ConsoleSettings {
  /**
   * Decides who may see the console, using the application's own sign-in. Returns a name and a role (`viewer`,
   * `member`, `owner`), one for all projects or one per project, or nothing to deny access. Without it, the console has
   * its own accounts.
   *
   * @example
   * authorize: async ({ headers }) => {
   *   const user = await userOf(headers);
   *   return user?.isStaff && { name: user.email, roles: "member" };
   * }
   */
  authorize?: Authorize;
}

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
const isDirectives: Check = (value) =>
  typeof value === "object" && value !== null && Object.values(value).every((one) => isTexts(one) === undefined)
    ? undefined
    : 'must list sources by directive: { "img-src": ["https://images.example"] }';

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
  trustedProxies: isTexts,
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
const isOwnPath: Check = (value) =>
  typeof value === "string" && /^\/[\w./-]+$/.test(value) ? undefined : "must be a path such as /_holdfast/post";

const reportChecks: Readonly<Record<keyof ReportSettings, Check>> = {
  // A wrong DSN must not stop the application; reporting logs what is wrong with it.
  dsn: () => undefined,
  environment: isText,
  release: isText,
  sampleRate: isRate,
  sendDefaults: isSwitch,
  scrub: isPatterns,
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

function isOriginText(value: unknown): boolean {
  return typeof value === "string" && URL.canParse(value) && new URL(value).origin === value;
}
