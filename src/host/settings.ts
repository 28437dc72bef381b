import type { EdgePolicy, ImageSettings, LanguageSettings, RedirectSetting, RewriteSetting, Texts } from "#pages";
import type { ReportSettings } from "#reporting/settings";
import type { Authorize } from "#service/authorize";

// Apart from what reads it, and by files instead of parts: every application that uses `holdfast/server` has the
// compiler read what this file imports.

/** Headers by pattern of the path. `false` removes a header that is sent by default. */
export type HeaderSettings = Readonly<Record<string, Readonly<Record<string, string | false>>>>;

/** `off`: nothing is counted. `warn`: an issue says which route fails more. `heal`: the build before answers it. */
export type Healing = "off" | "warn" | "heal";

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

/** Limits that the configuration may set. Each has a range; `holdfast doctor` prints what holds. */
export interface LimitSettings {
  /** Time limit of a load or guard, in seconds; 10. A page sets its own by `timeout`. */
  loadSeconds?: number;
  /** Time limit of promises in the data of a page, in seconds; 30. */
  lateSeconds?: number;
  /** Time limit of the first part of a document, in seconds; 15. */
  shellSeconds?: number;
  /** Bytes of a form without files, of JSON and of an API route's body; 1 MiB. Actions and API routes set their own. */
  bodyBytes?: number;
  /** Bytes of all files of one upload together; 32 MiB. Actions set their own. */
  uploadBytes?: number;
  /** Files of one upload; 20. Actions set their own. */
  files?: number;
  /** Fields of one form; 1,000. */
  formFields?: number;
  /** Values of a search that the schema of a page reads; 200. */
  searchValues?: number;
  /** Levels of a JSON body; 64. */
  jsonDepth?: number;
  /** Keys of a JSON body; 10,000. */
  jsonKeys?: number;
  /** Bytes of the data of one page; 8 MiB. */
  dataBytes?: number;
  /** Concurrent posts and actions; 1,000. */
  postsAtOnce?: number;
  /** Concurrent posts and actions of one client; 100. */
  postsPerClient?: number;
  /** Bytes of all concurrent post bodies in memory; 64 MiB. One client may hold a quarter. */
  postedBytes?: number;
  /** Bytes of all concurrent uploads on disk; 1 GiB. One client may use a quarter. */
  uploadsOnDiskBytes?: number;
  /** Bytes of large responses that wait for slow clients in memory; 8 MiB. */
  unsentBytes?: number;
  /** Bytes of large responses that wait for slow clients on disk; 4 GiB. */
  unsentOnDiskBytes?: number;
  /** Bytes of cached pages in the memory of a process, with all encodings; 64 MiB. One page may have an eighth. */
  cachedBytes?: number;
  /** Bytes of cached pages on disk, for which the memory of a process has no room; 512 MiB. 0 stores none there. */
  cachedOnDiskBytes?: number;
  /** Number of cached pages, in memory and on disk; 10,000. */
  cachedPages?: number;
  /** Bytes of browser files and prerendered pages in the memory of a process, each of 256 KiB at most; 8 MiB. */
  fileBytes?: number;
  /** Bytes of V8's memory of young objects, beyond which `holdfast start` lets it not double again; 64 MiB. */
  youngBytes?: number;
  /** Age up to which the last good page is sent while new ones fail, in seconds; 86,400. */
  cachedFailingSeconds?: number;
  /** Bytes of the headers of a request; 16 KiB. */
  headerBytes?: number;
  /** Concurrent connections; 10,000. */
  connections?: number;
  /** Concurrent connections of one client that is no proxy; 1,000. */
  connectionsPerClient?: number;
  /** Time limit of `onStart` of `src/lifecycle.server.ts`, in seconds; 60. */
  startSeconds?: number;
  /** Time limit of work that `after` runs, in seconds; 60. */
  afterSeconds?: number;
  /** Work of `after` that runs at the same time; 1,000. */
  afterAtOnce?: number;
  /** Server-sent events and sockets that are open at the same time; 5,000. */
  streamsAtOnce?: number;
  /** The same for one client; 500. */
  streamsPerClient?: number;
  /** Bytes of one server-sent event or one message of a socket; 64 KiB. */
  messageBytes?: number;
  /** Messages of one socket in a second, and twice as many at once; 100. */
  socketMessagesPerSecond?: number;
  /** Bytes that the client of a socket may leave untaken before it is disconnected; 256 KiB. */
  socketUnsentBytes?: number;
  /** Bytes of access log per second, with bursts of one minute; 1 MiB. Lines over the limit are dropped and counted. */
  logBytesPerSecond?: number;
  /** Submissions of actions with `keeps` on disk: those that run, and those that wait to be run again; 1,000. */
  keptSubmissions?: number;
  /** Bytes of all of them; 256 MiB. */
  keptBytes?: number;
  /** Days after which a kept submission is removed; 30. */
  keptDays?: number;
  /** Digests that one client may look up in a minute, and at once; 60. */
  answersPerMinute?: number;
  /** Pages with a digest that a browser remembers until they are repaired; 5. 0: none. */
  brokenPages?: number;
  /** Days for which it remembers them; 7. */
  brokenPageDays?: number;
  /** Bytes of one build's browser files in a PostgreSQL store, with all encodings; 64 MiB. */
  sharedFileBytes?: number;
  /** Pages that `holdfast build` makes at the same time; 8. */
  prerenderAtOnce?: number;
  /** Open issues whose requests `holdfast gate` replays, and as many that were resolved lately; 20. */
  gateIssues?: number;
  /** Time limit of one of these requests, in seconds; 15. */
  gateRequestSeconds?: number;
  /** Time limit of all of them, in seconds; 60. Those that are left over are not replayed. */
  gateSeconds?: number;
  /** Such requests at the same time; 2. */
  gateAtOnce?: number;
  /** Time until the new build of a healed route is tried again, in seconds; 60. Each time it is doubled. */
  healedSeconds?: number;
  /** Bytes of the copy of a build, which answers healed routes of the next release; 256 MiB. */
  keptBuildBytes?: number;
}
