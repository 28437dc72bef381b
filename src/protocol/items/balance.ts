import type { ProtocolLimits } from "../limits.ts";
import { isObject, listOf, nonEmptyText, objectOf, present, timeOf } from "../loose-values.ts";

/**
 * What a client says about its own books, inside of a client report: which error pages it has shown, and what came
 * after them. It travels apart from the events, so that a lost event is missing on one side only. Other services ignore
 * the unknown key of a client report.
 */
export interface BalanceStatement {
  /** The process or document that says it. Random. */
  readonly source: string;
  /** Since when error reports wait for delivery with the source. Undefined if none waits. */
  readonly waitingSinceMs?: number;
  readonly pages: readonly StatedPage[];
}

/** What a visitor did after an error: reached another page, or the same one by trying again. */
export type NextStep = "further" | "through";

/** An error page that was sent or shown. */
export interface StatedPage {
  readonly digest: string;
  readonly atMs: number;
  readonly route: string;
  readonly side: "server" | "browser";
  /** The first digest of a visitor who saw several in a row. */
  readonly chain?: string;
  readonly next?: NextStep;
  /** Why there is no event, if the source left it out itself. */
  readonly cause?: string;
}

/** More are sent in several statements. */
export const pagesPerStatement = 200;

/** Returns undefined if the client report says nothing about its books. Unreadable pages are left out. */
export function readBalance(value: unknown, limits: ProtocolLimits): BalanceStatement | undefined {
  if (!isObject(value)) return undefined;
  const source = nonEmptyText(value.source, limits.shortText);
  if (source === undefined) return undefined;
  const pages = listOf(value.pages)
    .slice(0, pagesPerStatement)
    .flatMap((entry) => pageOf(entry, limits) ?? []);
  return present({ source, waitingSinceMs: timeOf(value.waiting_since), pages });
}

function pageOf(entry: unknown, limits: ProtocolLimits): StatedPage | undefined {
  const { digest, at, route, side, chain, next, cause } = objectOf(entry);
  const atMs = timeOf(at);
  if (!isDigest(digest) || atMs === undefined) return undefined;
  return present({
    digest,
    atMs,
    route: nonEmptyText(route, limits.shortText) ?? "",
    side: side === "server" ? ("server" as const) : ("browser" as const),
    chain: isDigest(chain) ? chain : undefined,
    next: next === "further" || next === "through" ? (next as NextStep) : undefined,
    cause: nonEmptyText(cause, limits.shortText),
  });
}

/** In the one spelling that pages show. */
function isDigest(value: unknown): value is string {
  return typeof value === "string" && /^(?:[0-9A-HJKMNP-TV-Z]{4}-){2}[0-9A-HJKMNP-TV-Z]{4}$/.test(value);
}

/** The wire form. */
export function writeBalance({ source, waitingSinceMs, pages }: BalanceStatement): object {
  return {
    source,
    ...(waitingSinceMs !== undefined && { waiting_since: waitingSinceMs / 1000 }),
    pages: pages.map(({ atMs, ...page }) => ({ ...page, at: atMs / 1000 })),
  };
}
