import type { IncomingMessage, ServerResponse } from "node:http";
import { ByteBudget, type Refusals, sourceOf, TokenBuckets, Turns } from "#bounds";
import { isFromOwnPage, sendJson } from "#http";
import {
  type Envelope,
  type EnvelopeItem,
  isItemType,
  isObject,
  itemKinds,
  type JsonBounds,
  type JsonObject,
  jsonItem,
  protocolLimits,
  readClientReport,
  readEnvelope,
  readJson,
  writeEnvelope,
  writeRateLimits,
} from "#protocol";
import { earlyPath } from "../early-errors.ts";
import type { ReportingLimits } from "../limits.ts";
import type { LossCounter } from "../loss-counter.ts";
import type { Scrub } from "../scrub/scrub.ts";
import { scrubReport } from "../scrub/scrub-report.ts";
import type { ServerLedger } from "./ledger.ts";
import { navigationsIn } from "./navigations-in.ts";
import { laneOf, type Outbox } from "./outbox/outbox.ts";
import { readPosted } from "./read-posted.ts";

export interface TunnelOptions {
  path: string;
  /** Envelopes need not have a DSN; one that has is accepted only if it names the application's own destination. */
  isOwnDsn: (dsn: string) => boolean;
  limits: ReportingLimits;
  refusals: Refusals;
  scrub: Scrub;
  losses: LossCounter;
  outbox: Outbox;
  /** Gets what pages say about error pages that they have shown, and about their navigations. */
  ledger: Pick<ServerLedger, "add" | "count">;
  now: () => number;
  /** Whether to add the visitor's IP address. */
  sendsAddress: boolean;
  /** The build that is served now; a page only knows its own. */
  build: string | undefined;
  /** Creates events from the errors of a page without a reporter. Resolves when they are on disk. */
  takeEarly: (posted: unknown, userAgent: string | undefined) => Promise<void>;
}

/** Origin and address of a request, from the host. */
export interface Visitor {
  address: string;
  origin: string;
  /** Reads and discards the rest of the request's body, within limits. */
  readRest: () => Promise<void>;
}

export interface Tunnel {
  readonly path: string;
  handle(incoming: IncomingMessage, response: ServerResponse, visitor: Visitor): Promise<void>;
}

type TunnelAnswer = { status: number; why?: string; waitSeconds?: number; eventId?: string | undefined };

/** Accepts envelopes of the application's own pages on its own host. The request cannot choose their destination. */
export function createTunnel(options: TunnelOptions): Tunnel {
  const { limits, refusals } = options;
  const shared = {
    budget: new ByteBudget(limits.tunnelHeldBytes, limits.tunnelHeldPerAddress),
    decoders: new Turns({ atOnce: limits.tunnelDecoders, waiting: limits.tunnelDecodersWaiting }),
    refusals,
  };
  const perAddress = new TokenBuckets(limits.tunnelBurst, limits.tunnelPerSecond);
  const together = new TokenBuckets(limits.tunnelAllBurst, limits.tunnelAllPerSecond, 1);

  const decide = async (incoming: IncomingMessage, visitor: Visitor): Promise<TunnelAnswer> => {
    // Other methods do not reveal that the address exists.
    if (incoming.method !== "POST") return { status: 404 };
    if (isFromOwnPage(incoming, visitor.origin) === false) return { status: 403, why: "Another site sent this." };
    const source = sourceOf(visitor.address);
    const wait = perAddress.take(source, options.now()) || together.take("", options.now());
    if (wait > 0) {
      refusals.add("reports");
      return { status: 429, why: "Too many reports.", waitSeconds: wait };
    }
    const posted = await readPosted(incoming, limits.tunnelBytes, source, shared);
    if (posted.kind === "busy") return { status: 503, why: "Too many reports at the same time.", waitSeconds: 5 };
    if (posted.kind === "too-large") return { status: 413, why: `More than ${limits.tunnelBytes} bytes.` };
    if (posted.kind === "unknown-encoding") return { status: 415, why: "Only gzip is unpacked." };
    if (posted.kind === "broken") return { status: 400, why: "The body could not be read." };
    const path = (incoming.url ?? "").split("?", 1)[0];
    if (path === options.path + earlyPath) return takeEarly(posted.bytes, incoming, options);
    return path === options.path ? takeEnvelope(posted.bytes, visitor, options) : { status: 404 };
  };

  return {
    path: options.path,
    handle: async (incoming, response, visitor) => {
      const answer = await decide(incoming, visitor);
      // A client that gets a response while it is still sending may see a closed connection instead of the reason.
      if (answer.status >= 400) await visitor.readRest();
      send(response, answer);
    },
  };
}

async function takeEnvelope(bytes: Uint8Array, visitor: Visitor, options: TunnelOptions): Promise<TunnelAnswer> {
  const reading = readEnvelope(bytes, protocolLimits);
  if (reading.kind !== "read") return { status: 400, why: "This is no envelope." };
  const { envelope } = reading;
  if (envelope.header.dsn !== undefined && !options.isOwnDsn(envelope.header.dsn))
    return { status: 403, why: "Reports of this project are not taken here." };
  if (envelope.skipped.length > 0) options.losses.add("filter:unknown-item", "default", envelope.skipped.length);
  const isFile = ({ header }: EnvelopeItem): boolean => header.type === "attachment";
  const cleaned = envelope.items.filter((item) => !isFile(item)).map((item) => cleanItem(item, visitor, options));
  const items = cleaned.flatMap((one) => (one.kind === "clean" ? [one.item] : []));
  const files = envelope.items.filter(isFile);
  if (items.some(({ header }) => carriesFiles.has(header.type)))
    items.push(...files.map((file) => cleanFile(file, options.scrub)));
  else if (files.length > 0) options.losses.add("filter:not-kept", "attachment", files.length);
  await enterBooks(envelope, options);
  if (items.length === 0) {
    const unreadable = cleaned.find((one) => one.kind === "unreadable");
    return unreadable === undefined ? { status: 200 } : { status: 400, why: unreadable.why };
  }
  const { lane, category } = laneOf(items);
  const result = options.outbox.keep(lane, category, writeEnvelope(headerOf(envelope), items));
  if (result.kind === "full") return { status: 503, why: "There is no room.", waitSeconds: 60 };
  if (lane === "errors") await result.durable;
  // The id of an unreadable event is not returned, although the rest of the envelope is kept.
  const isNamed = cleaned.every(({ kind }) => kind !== "unreadable");
  return { status: 200, eventId: isNamed ? envelope.header.eventId : undefined };
}

/**
 * Enters what a page says about its books into the ledger, in the time of this server: the error pages that it has
 * shown, and its navigations. They do not travel with the envelope: what happens to an outbox must not happen to both
 * sides of the books.
 */
async function enterBooks({ header, items }: Envelope, { ledger, now, scrub }: TunnelOptions): Promise<void> {
  const ahead = header.sentAtMs === undefined ? 0 : now() - header.sentAtMs;
  for (const { header: item, payload } of items) {
    if (item.type !== "client_report") continue;
    const json = readJson(payload, jsonBounds);
    const report = json.kind === "read" ? readClientReport(json.value) : undefined;
    const balance = report?.kind === "read" ? report.value.balance : undefined;
    if (balance === undefined) continue;
    const navigations = navigationsIn(balance, { scrub, ahead });
    if (navigations) ledger.count(navigations);
    const entered = balance.pages.map((page) => ({ ...page, atMs: page.atMs + ahead, route: scrub.text(page.route) }));
    await ledger.add(entered.map((page) => ({ ...page, side: "browser" })));
  }
}

/** The DSN is checked above; the next receiver gets it with the request. */
function headerOf({ header: { dsn: _, ...header } }: Envelope): Envelope["header"] {
  return header;
}

/** Items that pages send, with this client or the official one, beside files. Recordings are not stored. */
const taken: ReadonlySet<string> = new Set([
  "event",
  "transaction",
  "span",
  "session",
  "sessions",
  "log",
  "trace_metric",
  "feedback",
  "user_report",
  "client_report",
]);

/** Items that files belong to. A file without one is shown nowhere. */
const carriesFiles: ReadonlySet<string> = new Set(["event", "feedback"]);

/** Returns the file without secrets, if it is a text. Others, such as pictures, are unchanged. */
function cleanFile({ header, payload }: EnvelopeItem, scrub: Scrub): EnvelopeItem {
  const { filename } = header;
  const named = filename === undefined ? header : { ...header, filename: scrub.text(filename) };
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(payload);
    return { header: named, payload: Buffer.from(scrub.text(text)) };
  } catch {
    // Not a text.
    return { header: named, payload };
  }
}

type CleanedItem = { kind: "clean"; item: EnvelopeItem } | { kind: "not-taken" } | { kind: "unreadable"; why: string };

/** Returns the item without secrets. */
function cleanItem(item: EnvelopeItem, visitor: Visitor, options: TunnelOptions): CleanedItem {
  const { scrub, losses } = options;
  const { type, length: _, ...header } = item.header;
  const category = isItemType(type) ? itemKinds[type].category : "default";
  if (!taken.has(type)) {
    losses.add("filter:not-kept", category);
    return { kind: "not-taken" };
  }
  const json = readJson(item.payload, jsonBounds);
  if (json.kind !== "read" || !isObject(json.value)) {
    losses.add("filter:unreadable", category);
    const why = json.kind === "read" ? "It is no JSON object." : json.why;
    return { kind: "unreadable", why: `The payload of an item of type ${type} cannot be read. ${why}` };
  }
  if (type === "client_report" && isBalanceAlone(json.value)) return { kind: "not-taken" };
  const clean = scrubReport(withoutBalance(type, json.value), scrub);
  return { kind: "clean", item: jsonItem(type, type === "event" ? completed(clean, visitor, options) : clean, header) };
}

/** The ledger has it, and nothing is left to forward. */
function isBalanceAlone({ balance, discarded_events: discarded }: JsonObject): boolean {
  return balance !== undefined && Array.isArray(discarded) && discarded.length === 0;
}

/** The ledger has it. */
function withoutBalance(type: string, { balance, ...rest }: JsonObject): JsonObject {
  return type === "client_report" || balance === undefined ? rest : { ...rest, balance };
}

/** The size of an envelope limits its keys; the service trims events with too many. */
const jsonBounds: JsonBounds = { jsonDepth: protocolLimits.jsonDepth, jsonKeys: protocolLimits.containerKeys };

/** Adds facts that only the server knows to a page's event. */
function completed(event: JsonObject, { address }: Visitor, { sendsAddress, build }: TunnelOptions): JsonObject {
  const { user, contexts } = event;
  const whole = { ...event };
  if (sendsAddress) whole.user = { ...(isObject(user) && user), ip_address: address };
  if (build !== undefined && isObject(contexts) && isObject(contexts.holdfast))
    whole.contexts = { ...contexts, holdfast: { ...contexts.holdfast, server_build: build } };
  return whole;
}

async function takeEarly(
  bytes: Uint8Array,
  { headers }: IncomingMessage,
  options: TunnelOptions,
): Promise<TunnelAnswer> {
  const json = readJson(bytes, { jsonDepth: 8, jsonKeys: 1_000 });
  if (json.kind !== "read") return { status: 400, why: "This is no list of errors." };
  await options.takeEarly(json.value, headers["user-agent"]);
  return { status: 200 };
}

function send(response: ServerResponse, { status, why, waitSeconds, eventId }: TunnelAnswer): void {
  sendJson(response, status, status < 400 ? { id: eventId } : { detail: why ?? "Not found." }, {
    ...(waitSeconds !== undefined && {
      "Retry-After": waitSeconds,
      "X-Sentry-Rate-Limits": writeRateLimits([{ seconds: waitSeconds, categories: [], scope: "key" }]),
    }),
    ...(status >= 400 && { Connection: "close" }),
  });
}
