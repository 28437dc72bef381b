import {
  type Envelope,
  type EnvelopeHeader,
  type EnvelopeItem,
  isObject,
  itemKinds,
  newEventId,
  type RateLimit,
  readEventId,
  readLeniently,
  writeEnvelope,
} from "#protocol";
import type { Clock } from "../clock.ts";
import type { AppendOutcome, Journal } from "../journal/journal.ts";
import { chooseItems, type ItemChoice, takeCategory } from "./choose-items.ts";
import type { AcceptCounters } from "./counters.ts";
import type { AcceptLimits } from "./limits.ts";
import type { AcceptOutcome } from "./outcome.ts";
import type { Quota } from "./quota.ts";
import type { UsualEnvelope } from "./usual-envelope.ts";

/** What accepting needs, handed in once. */
export interface AcceptDeps {
  readonly journal: Journal;
  readonly quota: Quota;
  readonly counters: AcceptCounters;
  readonly limits: AcceptLimits;
  readonly clock: Clock;
}

/** Called once with the outcome. */
export type OutcomeListener = (outcome: AcceptOutcome) => void;

/**
 * Takes in an envelope whose sender is known: chooses what is kept, makes sure that it can be found by its id, and
 * tells when it is on the disk. `original` is the envelope as it came, if it is there in one piece; unchanged, it is
 * written as it is.
 */
export function acceptEnvelope(
  parts: AcceptDeps,
  project: number,
  envelope: Envelope,
  original: Uint8Array | undefined,
  tell: OutcomeListener,
): void {
  const { journal, quota, counters, limits, clock } = parts;
  const choice = chooseItems(envelope, { project, pressure: journal.pressure, quota, counters, limits });
  if (choice.items.length === 0) return tell(nothingKept(envelope, choice));
  const header = headerWithId(envelope.header, choice.items, limits.protocol.jsonDepth);
  const isUnchanged =
    header === envelope.header && choice.items.length === envelope.items.length && envelope.skipped.length === 0;
  const bytes = original !== undefined && isUnchanged ? original : writeEnvelope(header, choice.items);
  const size = bytes.length;
  journal.appendThen({ project, receivedMs: clock.now(), bytes }, (appended) => {
    if (appended.kind !== "kept") return tell(notTaken(appended));
    counters.keptEnvelope(size);
    for (const item of choice.items) counters.keptItem(item.header.type);
    const eventId = losesItsEvent(envelope, choice) ? undefined : header.eventId;
    tell({ kind: "accepted", eventId, limits: choice.limits });
  });
}

/** The same for an envelope of the usual form, of which nothing is dropped or rewritten. */
export function acceptUsualEnvelope(
  parts: AcceptDeps,
  project: number,
  { eventId, type }: UsualEnvelope,
  bytes: Buffer,
  tell: OutcomeListener,
): void {
  const { journal, quota, counters, limits, clock } = parts;
  const { category } = itemKinds[type];
  const limit = takeCategory(category, { project, pressure: journal.pressure, quota, counters, limits });
  if (limit !== undefined) return tell({ kind: "limited", limits: [limit] });
  const size = bytes.length;
  journal.appendThen({ project, receivedMs: clock.now(), bytes }, (appended) => {
    if (appended.kind !== "kept") return tell(notTaken(appended));
    counters.keptEnvelope(size);
    counters.keptItem(type);
    tell({ kind: "accepted", eventId, limits: noLimits });
  });
}

const noLimits: readonly RateLimit[] = [];

function notTaken(appended: Exclude<AppendOutcome, { kind: "kept" }>): AcceptOutcome {
  return appended.kind === "refused" ? { ...appended, kind: "unavailable" } : appended;
}

/**
 * An envelope of which nothing is wanted is no mistake of its sender, unless all that it had was too large or too much.
 */
function nothingKept(envelope: Envelope, { limits, refused }: ItemChoice): AcceptOutcome {
  if (limits.length > 0) return { kind: "limited", limits };
  const [why] = refused;
  if (why !== undefined) return { kind: "malformed", why };
  const tooLarge = envelope.skipped.find(({ reason }) => reason === "too-large");
  if (tooLarge !== undefined)
    return { kind: "too-large", why: `The item of type ${tooLarge.type} is larger than it may be.` };
  return { kind: "accepted", eventId: envelope.header.eventId, limits: [] };
}

const typesWithId: ReadonlySet<string> = new Set(["event", "transaction", "feedback"]);

function hasId(type: string): boolean {
  return typesWithId.has(type);
}

/** Whether the item that the id names was dropped. The response must not carry an id that leads nowhere. */
function losesItsEvent({ items, skipped }: Envelope, choice: ItemChoice): boolean {
  if (choice.items.some(({ header }) => hasId(header.type))) return false;
  return items.some(({ header }) => hasId(header.type)) || skipped.some(({ type }) => hasId(type));
}

const decoder = new TextDecoder();

/** The header as it is when it has an id or needs none; else with the id of the payload, or a new one. */
function headerWithId(header: EnvelopeHeader, items: readonly EnvelopeItem[], jsonDepth: number): EnvelopeHeader {
  if (header.eventId !== undefined) return header;
  const item = items.find(({ header: { type } }) => hasId(type));
  if (item === undefined) return header;
  const { value } = readLeniently(decoder.decode(item.payload), jsonDepth);
  return { ...header, eventId: (isObject(value) ? readEventId(value.event_id) : undefined) ?? newEventId() };
}
