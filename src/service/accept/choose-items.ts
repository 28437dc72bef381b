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
import type { Pressure } from "../journal/journal.ts";
import type { AcceptCounters } from "./counters.ts";
import type { AcceptLimits } from "./limits.ts";
import type { Quota } from "./quota.ts";

export interface ItemChoice {
  readonly items: readonly EnvelopeItem[];
  /** Which categories the client should hold back for a while. */
  readonly limits: readonly RateLimit[];
  /** Why an item cannot be kept, by what it is. */
  readonly refused: readonly string[];
}

/** What decides about an item beside its own bytes. */
export interface ChoiceDeps {
  readonly project: number;
  readonly pressure: Pressure;
  readonly quota: Quota;
  readonly counters: AcceptCounters;
  readonly limits: AcceptLimits;
}

/** The small ones that tell of loss and health are worth their few bytes at any pressure. */
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

/** Which items of an envelope are kept. What is wrong with one is no reason to lose the others. */
export function chooseItems(envelope: Envelope, deps: ChoiceDeps): ItemChoice {
  const items: EnvelopeItem[] = [];
  const limits = new Map<Category, RateLimit>();
  const refused: string[] = [];
  for (const item of envelope.items) {
    const { category, format } = kindOf(item);
    const limit = takeCategory(category, deps);
    if (limit !== undefined) {
      limits.set(category, limit);
      continue;
    }
    const excess = format === "json" ? excessOf(item, deps.limits.protocol) : undefined;
    if (excess === undefined) items.push(item);
    else {
      deps.counters.dropped(deps.project, category, "unreadable");
      refused.push(`The payload of an item of type ${item.header.type} cannot be read. ${excess}`);
    }
  }
  for (const { type, reason } of envelope.skipped) {
    deps.counters.dropped(deps.project, isItemType(type) ? itemKinds[type].category : "default", reason);
  }
  return { items, limits: limits.size === 0 ? noLimits : [...limits.values()], refused };
}

/**
 * Takes an item into account; when there is no room for its kind, counts it as dropped and tells how long to hold it
 * back.
 */
export function takeCategory(category: Category, deps: ChoiceDeps): RateLimit | undefined {
  const { project, pressure, quota, counters, limits } = deps;
  if (!survivesPressure(category, pressure, limits)) {
    counters.dropped(project, category, "pressure");
    return { seconds: limits.backOffSeconds, categories: [category], reason: "pressure" };
  }
  const limit = quota.takeItem(project, category);
  if (limit !== undefined) counters.dropped(project, category, "quota");
  return limit;
}

/** Half full: of what comes in bulk, a sample. High: errors and the like alone. */
function survivesPressure(category: Category, pressure: Pressure, limits: AcceptLimits): boolean {
  if (pressure === "none") return true;
  if (pressure === "half") return !bulkCategories.has(category) || Math.random() < limits.shareUnderPressure;
  return urgentCategories.has(category);
}

/**
 * In so few bytes there is no room for too many keys, and what they nest is cut when it is filed, in a thread whose
 * stack bears all of it. To look at them here would cost as much as everything else that is done for an envelope.
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
  // The reader keeps known types only.
  return itemKinds[isItemType(type) ? type : "event"];
}
