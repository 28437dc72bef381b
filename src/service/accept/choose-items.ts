import {
  type Category,
  type Envelope,
  type EnvelopeItem,
  isItemType,
  itemKinds,
  jsonExcess,
  type ProtocolLimits,
  type RateLimit,
} from "#protocol";
import type { Pressure } from "../journal/journal-stats.ts";
import type { AttachmentRules } from "./attachment-rules.ts";
import type { AcceptCounters } from "./counters.ts";
import type { IntakeCounts } from "./intake-counts.ts";
import { filterOfItem, jsonOf } from "./judge-item.ts";
import { type AcceptLimits, leastFileBytes } from "./limits.ts";
import type { Quota } from "./quota.ts";
import type { Sending } from "./sending.ts";
import type { Spikes } from "./spikes.ts";

export interface ItemChoice {
  readonly items: readonly EnvelopeItem[];
  /** Categories that the client should hold back, and for how long. */
  readonly limits: readonly RateLimit[];
  /** Reasons why items are not kept. */
  readonly refused: readonly string[];
  /** How many a filter or the spike protection of the project dropped. */
  readonly unwanted: number;
}

/** Everything that decides about an item, besides its bytes. */
export interface ChoiceDeps {
  readonly sending: Sending;
  readonly pressure: Pressure;
  readonly quota: Quota;
  readonly counters: AcceptCounters;
  readonly intake: IntakeCounts;
  readonly spikes: Spikes;
  readonly limits: AcceptLimits;
  readonly attachments: () => AttachmentRules;
}

/** Small categories about loss and health are kept at any pressure: they cost few bytes. */
const urgentCategories: ReadonlySet<Category> = new Set(["error", "feedback", "internal", "security"]);
const bulkCategories: ReadonlySet<Category> = new Set([
  "transaction",
  "span",
  "log_item",
  "trace_metric",
  "attachment",
  "replay",
]);

const noLimits: readonly RateLimit[] = [];

/** Chooses the items of an envelope to keep. A flawed item does not affect the others. */
export function chooseItems(envelope: Envelope, deps: ChoiceDeps): ItemChoice {
  const items: EnvelopeItem[] = [];
  const limits = new Map<Category, RateLimit>();
  const refused: string[] = [];
  const files: EnvelopeItem[] = [];
  let unwanted = 0;
  let losesOwner = false;
  for (const item of envelope.items) {
    if (item.header.type === "attachment") {
      files.push(item);
      continue;
    }
    const { category, format } = kindOf(item);
    if (isFiltered(item, category, deps) || isOneOfSpike(item, category, deps)) {
      unwanted += 1;
      losesOwner ||= item.header.type === "event";
      continue;
    }
    const limit = takeCategory(category, deps);
    if (limit !== undefined) {
      limits.set(category, limit);
      continue;
    }
    const excess = format === "json" ? excessOf(item, deps.limits.protocol) : undefined;
    if (excess === undefined) items.push(item);
    else {
      deps.counters.countDropped(deps.sending.project.id, category, "unreadable");
      refused.push(`The payload of an item of type ${item.header.type} cannot be read. ${excess}`);
    }
  }
  const areWithoutEvent = losesOwner || losesItsEvent(envelope, items);
  if (files.length > 0) items.push(...chooseFiles(files, areWithoutEvent, deps, limits));
  for (const { type, reason } of envelope.skipped) {
    deps.counters.countDropped(
      deps.sending.project.id,
      isItemType(type) ? itemKinds[type].category : "default",
      reason,
    );
  }
  return { items, limits: limits.size === 0 ? noLimits : [...limits.values()], refused, unwanted };
}

/** Counts an item that a filter of the project drops, with an example for its owners. */
function isFiltered(item: EnvelopeItem, category: Category, { sending, counters, intake }: ChoiceDeps): boolean {
  const found = filterOfItem(item, sending);
  if (found === undefined) return false;
  counters.countDropped(sending.project.id, category, "filtered");
  intake.filtered(found.filter.id, found.example);
  return true;
}

/** Counts an error that is dropped because many like it arrive. */
function isOneOfSpike(item: EnvelopeItem, category: Category, { sending, counters, spikes }: ChoiceDeps): boolean {
  const { id, spike } = sending.project;
  if (spike?.isOn !== true || item.header.type !== "event") return false;
  if (spikes.keeps(id, spike, () => jsonOf(item.payload))) return false;
  counters.countDropped(id, category, "spike");
  return true;
}

/** Chooses the attached files to keep. One that is not kept is counted, and its event is kept without it. */
function chooseFiles(
  files: readonly EnvelopeItem[],
  areWithoutEvent: boolean,
  deps: ChoiceDeps,
  limits: Map<Category, RateLimit>,
): EnvelopeItem[] {
  const { counters, quota } = deps;
  const project = deps.sending.project.id;
  const { eventBytes, dayBytes } = deps.attachments().limits;
  let bytes = 0;
  return files.filter(({ payload }) => {
    const counted = Math.max(leastFileBytes, payload.length);
    const reason = areWithoutEvent ? "without-event" : bytes + counted > eventBytes ? "too-large" : undefined;
    if (reason !== undefined) {
      counters.countDropped(project, "attachment", reason);
      return false;
    }
    let limit = takeCategory("attachment", deps);
    if (limit === undefined) {
      limit = quota.takeFile(project, counted, dayBytes);
      if (limit !== undefined) counters.countDropped(project, "attachment", "quota");
    }
    if (limit !== undefined) limits.set("attachment", limit);
    else bytes += counted;
    return limit === undefined;
  });
}

const typesWithId: ReadonlySet<string> = new Set(["event", "transaction", "feedback"]);

export function hasId(type: string): boolean {
  return typesWithId.has(type);
}

/** Whether the item that the envelope's id names is not among the kept ones, although there was one. */
export function losesItsEvent({ items, skipped }: Envelope, kept: readonly EnvelopeItem[]): boolean {
  if (kept.some(({ header }) => hasId(header.type))) return false;
  return items.some(({ header }) => hasId(header.type)) || skipped.some(({ type }) => hasId(type));
}

/**
 * Counts an item against the limits of its category. If there is no room, counts it as dropped and returns the limit
 * for the client.
 */
export function takeCategory(category: Category, deps: ChoiceDeps): RateLimit | undefined {
  const { sending, pressure, quota, counters, limits } = deps;
  const project = sending.project.id;
  if (!survivesPressure(category, pressure, limits)) {
    counters.countDropped(project, category, "pressure");
    return { seconds: limits.backOffSeconds, categories: [category], reason: "pressure" };
  }
  const limit = quota.takeItem(sending, category);
  if (limit === undefined) return undefined;
  counters.countDropped(project, category, limit.scope === undefined ? "quota" : `${limit.scope}-quota`);
  if (limit.scope === "key" && sending.key !== undefined) deps.intake.keyRefused(sending.key.publicKey);
  return limit;
}

/** At half pressure, keeps a sample of the bulk categories. At high pressure, keeps only errors and the like. */
function survivesPressure(category: Category, pressure: Pressure, limits: AcceptLimits): boolean {
  if (pressure === "none") return true;
  if (pressure === "half") return !bulkCategories.has(category) || Math.random() < limits.shareUnderPressure;
  return urgentCategories.has(category);
}

/**
 * A payload this small cannot hold too many keys. Its nesting is cut while filing, in a thread with enough stack.
 * Checking it here would cost as much as the rest of accepting an envelope.
 */
export const harmlessBytes = 16_384;

function excessOf(item: EnvelopeItem, limits: ProtocolLimits): string | undefined {
  if (item.payload.length < harmlessBytes) return undefined;
  const isSmall = kindOf(item).maxBytes === "smallItemBytes";
  return jsonExcess(item.payload, {
    jsonDepth: limits.jsonDepth,
    jsonKeys: isSmall ? limits.jsonKeys : limits.containerKeys,
  });
}

function kindOf(item: EnvelopeItem): (typeof itemKinds)[keyof typeof itemKinds] {
  const { type } = item.header;
  // The envelope reader keeps only known types.
  return itemKinds[isItemType(type) ? type : "event"];
}
