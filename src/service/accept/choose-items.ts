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
import { type AcceptLimits, leastFileBytes } from "./limits.ts";
import type { Quota } from "./quota.ts";

export interface ItemChoice {
  readonly items: readonly EnvelopeItem[];
  /** Categories that the client should hold back, and for how long. */
  readonly limits: readonly RateLimit[];
  /** Reasons why items are not kept. */
  readonly refused: readonly string[];
}

/** Everything that decides about an item, besides its bytes. */
export interface ChoiceDeps {
  readonly project: number;
  readonly pressure: Pressure;
  readonly quota: Quota;
  readonly counters: AcceptCounters;
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
  for (const item of envelope.items) {
    if (item.header.type === "attachment") {
      files.push(item);
      continue;
    }
    const { category, format } = kindOf(item);
    const limit = takeCategory(category, deps);
    if (limit !== undefined) {
      limits.set(category, limit);
      continue;
    }
    const excess = format === "json" ? excessOf(item, deps.limits.protocol) : undefined;
    if (excess === undefined) items.push(item);
    else {
      deps.counters.countDropped(deps.project, category, "unreadable");
      refused.push(`The payload of an item of type ${item.header.type} cannot be read. ${excess}`);
    }
  }
  if (files.length > 0) items.push(...chooseFiles(files, losesItsEvent(envelope, items), deps, limits));
  for (const { type, reason } of envelope.skipped) {
    deps.counters.countDropped(deps.project, isItemType(type) ? itemKinds[type].category : "default", reason);
  }
  return { items, limits: limits.size === 0 ? noLimits : [...limits.values()], refused };
}

/** Chooses the attached files to keep. One that is not kept is counted, and its event is kept without it. */
function chooseFiles(
  files: readonly EnvelopeItem[],
  areWithoutEvent: boolean,
  deps: ChoiceDeps,
  limits: Map<Category, RateLimit>,
): EnvelopeItem[] {
  const { project, counters, quota } = deps;
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
  const { project, pressure, quota, counters, limits } = deps;
  if (!survivesPressure(category, pressure, limits)) {
    counters.countDropped(project, category, "pressure");
    return { seconds: limits.backOffSeconds, categories: [category], reason: "pressure" };
  }
  const limit = quota.takeItem(project, category);
  if (limit !== undefined) counters.countDropped(project, category, "quota");
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
