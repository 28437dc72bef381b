import { isObject, type JsonObject } from "#protocol";
import type { Report } from "../report-error.ts";
import { type Moment, type ReporterParts, reportError } from "../report-error.ts";
import { browserSdk } from "../sdk.ts";

/** As many as a page keeps. */
const atMost = 20;
/** Clocks of visitors are wrong by anything; a page that was open for longer than this says nothing useful. */
const oldestMs = 86_400_000;

/** Makes reports of the errors that a page sent by itself, because its reporter never came. What it says is checked: anyone can post here. */
export function reportEarlyPosts(
  posted: unknown,
  userAgent: string | undefined,
  nowMs: number,
  server: ReporterParts,
): Report[] {
  if (!Array.isArray(posted)) return [];
  const { identity } = server;
  const parts: ReporterParts = {
    ...server,
    identity: { ...identity, sdk: browserSdk, platform: "javascript", serverName: undefined, contexts: {} },
    // Which files are the page's own only the page knows.
    isOwnFile: () => true,
  };
  return posted
    .slice(0, atMost)
    .filter(isObject)
    .map((error) => {
      const mechanism = {
        type: `auto.browser.global_handlers.${error.kind === "error" ? "onerror" : "onunhandledrejection"}`,
        handled: false,
      };
      const url = textOf(error.url);
      const place = {
        side: "browser",
        during: "event",
        visitorSaw: "page",
        ...(url !== undefined && { url }),
      } as const;
      return reportError(thrownOf(error), mechanism, place, momentOf(error, url, userAgent, nowMs), parts);
    });
}

/** An error again, so that it is described like any other. */
function thrownOf(posted: JsonObject): unknown {
  const message = textOf(posted.message) ?? "";
  const name = textOf(posted.name);
  if (name === undefined) return message;
  const error = new Error(message);
  error.name = name;
  error.stack = textOf(posted.stack) ?? "";
  return error;
}

function momentOf(posted: JsonObject, url: string | undefined, userAgent: string | undefined, nowMs: number): Moment {
  const at = typeof posted.at === "number" && Math.abs(nowMs - posted.at) < oldestMs ? posted.at : nowMs;
  const file = textOf(posted.file);
  return {
    timeMs: at,
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
