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
import type { AppendOutcome } from "../journal/acknowledge/append-outcome.ts";
import type { Journal } from "../journal/journal.ts";
import type { AttachmentRules } from "./attachment-rules.ts";
import { type ChoiceDeps, chooseItems, hasId, type ItemChoice, losesItsEvent, takeCategory } from "./choose-items.ts";
import type { AcceptCounters } from "./counters.ts";
import type { IntakeCounts } from "./intake-counts.ts";
import type { AcceptLimits } from "./limits.ts";
import type { AcceptOutcome } from "./outcome.ts";
import type { Quota } from "./quota.ts";
import type { Sending } from "./sending.ts";
import type { Spikes } from "./spikes.ts";
import type { UsualEnvelope } from "./usual-envelope.ts";

export interface AcceptDeps {
  readonly journal: Journal;
  readonly quota: Quota;
  readonly counters: AcceptCounters;
  readonly intake: IntakeCounts;
  readonly spikes: Spikes;
  readonly limits: AcceptLimits;
  /** Owners may change it while the service runs. */
  readonly attachments: () => AttachmentRules;
  readonly clock: Clock;
}

/** Called once with the outcome. */
export type OutcomeListener = (outcome: AcceptOutcome) => void;

/** An envelope whose client is known. */
export type Arrived =
  /** The usual form: nothing in it is dropped or rewritten, so it is not parsed before filing. */
  | { kind: "usual"; usual: UsualEnvelope; bytes: Buffer }
  /** `original` holds the envelope's bytes if they arrived in one chunk. An unchanged envelope is written from them. */
  | { kind: "read"; envelope: Envelope; original: Uint8Array | undefined };

/**
 * Accepts an envelope: chooses the items to keep, appends them to the journal, and calls `done` once they are on disk.
 * The filing thread continues from the journal (`filing/file-records.ts`).
 */
export function acceptEnvelope(deps: AcceptDeps, sending: Sending, arrived: Arrived, done: OutcomeListener): void {
  const choice = arrived.kind === "usual" ? chooseUsual(deps, sending, arrived) : chooseRead(deps, sending, arrived);
  if (choice.kind === "nothing") return done(choice.outcome);
  const { eventId, types, bytes, limits } = choice;
  const size = bytes.length;
  const project = sending.project.id;
  deps.journal.appendThen({ project, receivedMs: deps.clock.now(), bytes }, (appended) => {
    if (appended.kind !== "kept") return done(notAppended(appended));
    deps.counters.countEnvelope(size);
    for (const type of types) deps.counters.countItem(type);
    done({ kind: "accepted", eventId, limits });
  });
}

type Choice =
  | {
      kind: "chosen";
      /** Id in the response. Undefined if it would lead to nothing. */
      eventId: string | undefined;
      types: readonly string[];
      bytes: Uint8Array;
      limits: readonly RateLimit[];
    }
  | { kind: "nothing"; outcome: AcceptOutcome };

function chooseUsual(
  deps: AcceptDeps,
  sending: Sending,
  { usual, bytes }: Extract<Arrived, { kind: "usual" }>,
): Choice {
  const { eventId, type } = usual;
  const limit = takeCategory(itemKinds[type].category, choiceDeps(deps, sending));
  if (limit !== undefined) return { kind: "nothing", outcome: { kind: "limited", limits: [limit] } };
  return { kind: "chosen", eventId, types: [type], bytes, limits: noLimits };
}

function chooseRead(deps: AcceptDeps, sending: Sending, arrived: Extract<Arrived, { kind: "read" }>): Choice {
  const { envelope, original } = arrived;
  const chosen = chooseItems(envelope, choiceDeps(deps, sending));
  const { items, limits } = chosen;
  if (items.length === 0) return { kind: "nothing", outcome: nothingAccepted(envelope, chosen) };
  const header = headerWithId(envelope.header, items, deps.limits.protocol.jsonDepth);
  const isUnchanged =
    header === envelope.header && items.length === envelope.items.length && envelope.skipped.length === 0;
  return {
    kind: "chosen",
    // The response must not contain an id that leads to nothing.
    eventId: losesItsEvent(envelope, items) ? undefined : header.eventId,
    types: items.map((item) => item.header.type),
    bytes: original !== undefined && isUnchanged ? original : writeEnvelope(header, items),
    limits,
  };
}

function choiceDeps(deps: AcceptDeps, sending: Sending): ChoiceDeps {
  const { journal, quota, counters, intake, spikes, limits, attachments } = deps;
  return { sending, pressure: journal.pressure, quota, counters, intake, spikes, limits, attachments };
}

const noLimits: readonly RateLimit[] = [];

function notAppended(appended: Exclude<AppendOutcome, { kind: "kept" }>): AcceptOutcome {
  return appended.kind === "refused" ? { ...appended, kind: "unavailable" } : appended;
}

/**
 * An envelope without any wanted item is no mistake of its client, unless all its items were too large or over a limit.
 */
function nothingAccepted(envelope: Envelope, { limits, refused, unwanted }: ItemChoice): AcceptOutcome {
  if (limits.length > 0) return { kind: "limited", limits };
  const [why] = refused;
  if (why !== undefined) return { kind: "malformed", why };
  const tooLarge = envelope.skipped.find(({ reason }) => reason === "too-large");
  if (tooLarge !== undefined)
    return { kind: "too-large", why: `The item of type ${tooLarge.type} is larger than it may be.` };
  return { kind: "accepted", eventId: unwanted > 0 ? undefined : envelope.header.eventId, limits: [] };
}

const decoder = new TextDecoder();

/** Returns the header unchanged if it has an id or needs none. Otherwise adds the id of the payload, or a new one. */
function headerWithId(header: EnvelopeHeader, items: readonly EnvelopeItem[], jsonDepth: number): EnvelopeHeader {
  if (header.eventId !== undefined) return header;
  const item = items.find(({ header: { type } }) => hasId(type));
  if (item === undefined) return header;
  const { value } = readLeniently(decoder.decode(item.payload), jsonDepth);
  return { ...header, eventId: (isObject(value) ? readEventId(value.event_id) : undefined) ?? newEventId() };
}
