import { isObject, type JsonObject } from "#protocol";
import type { ErrorPlace } from "#signals";
import { earlyAtMost } from "../early-errors.ts";
import type { Report } from "../report-error.ts";
import { type ErrorContext, type ReporterDeps, reportError } from "../report-error.ts";
import { browserSdk } from "../sdk.ts";
import type { WireMechanism } from "../wire.ts";

/** Visitors' clocks can be arbitrarily wrong; a page that was open for longer than this gives no useful time. */
const oldestMs = 86_400_000;

/**
 * Turns errors that a page posts itself, because its reporter never loaded, into reports. The content is checked,
 * because any client can post it.
 */
export function reportEarlyPosts(
  posted: unknown,
  userAgent: string | undefined,
  nowMs: number,
  server: ReporterDeps,
): Report[] {
  if (!Array.isArray(posted)) return [];
  const { identity } = server;
  const deps: ReporterDeps = {
    ...server,
    identity: { ...identity, sdk: browserSdk, platform: "javascript", serverName: undefined, contexts: {} },
    // Only the page knows which files are its own.
    owners: { isOwnFile: () => true, vendorOf: () => undefined },
  };
  return posted
    .slice(0, earlyAtMost)
    .filter(isObject)
    .map((error) => {
      const url = textOf(error.url);
      const errorContext = errorContextOf(error, url, userAgent, nowMs);
      const { mechanism, place } = whereCaught(error, errorContext.promisedId);
      return reportError(
        thrownOf(error),
        { mechanism, place: place && { ...place, ...(url !== undefined && { url }) }, context: errorContext },
        deps,
      );
    });
}

type Mechanism = Pick<WireMechanism, "type" | "handled">;

/** Caught by the page's boundary, by the application, or uncaught. Only the first two already have an id. */
function whereCaught(
  posted: JsonObject,
  id: string | undefined,
): { mechanism: Mechanism; place: ErrorPlace | undefined } {
  if (id === undefined) {
    const handler = posted.kind === "error" ? "onerror" : "onunhandledrejection";
    const mechanism = { type: `auto.browser.global_handlers.${handler}`, handled: false };
    return { mechanism, place: { side: "browser", during: "event", visitorSaw: "page" } };
  }
  const during = caughtDuring.find((one) => one === posted.during);
  if (during === undefined) return { mechanism: { type: "generic", handled: true }, place: undefined };
  const route = textOf(posted.route);
  const componentStack = textOf(posted.componentStack);
  const place: ErrorPlace = {
    side: "browser",
    during,
    visitorSaw: posted.visitorSaw === "page" ? "page" : "error-page",
    ...(route !== undefined && { route }),
    ...(componentStack !== undefined && { componentStack }),
  };
  return { mechanism: { type: `auto.holdfast.${during}`, handled: false }, place };
}

const caughtDuring = ["render", "navigation", "hydration"] as const;

/** Restores an error, so that it is described like any other. */
function thrownOf(posted: JsonObject): unknown {
  const message = textOf(posted.message) ?? "";
  const name = textOf(posted.name);
  if (name === undefined) return message;
  const error = new Error(message);
  error.name = name;
  error.stack = textOf(posted.stack) ?? "";
  return error;
}

function errorContextOf(
  posted: JsonObject,
  url: string | undefined,
  userAgent: string | undefined,
  nowMs: number,
): ErrorContext {
  const at = typeof posted.at === "number" && Math.abs(nowMs - posted.at) < oldestMs ? posted.at : nowMs;
  const file = textOf(posted.file);
  return {
    timeMs: at,
    promisedId: typeof posted.id === "string" && /^[0-9a-f]{32}$/.test(posted.id) ? posted.id : undefined,
    request: { url, headers: userAgent === undefined ? {} : { "User-Agent": userAgent } },
    script: file ? { file, line: numberOf(posted.line), column: numberOf(posted.column) } : undefined,
    tags: { reporter: "missing" },
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value.slice(0, 16_384) : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 ? value : undefined;
}
