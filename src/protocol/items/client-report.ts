import { type ProtocolLimits, protocolLimits } from "../limits.ts";
import { countOf, isObject, listOf, nonEmptyText, objectOf, present, type Reading, timeOf } from "../loose-values.ts";
import { type BalanceStatement, readBalance } from "./balance.ts";

/** Events that a client discarded before sending, and why: the only record of losses on that side. */
export interface ClientReport {
  readonly timestampMs?: number;
  readonly discarded: readonly DiscardedEvents[];
  readonly balance?: BalanceStatement;
}

export interface DiscardedEvents {
  readonly reason: string;
  readonly category: string;
  readonly quantity: number;
}

export function readClientReport(value: unknown, limits: ProtocolLimits = protocolLimits): Reading<ClientReport> {
  if (!isObject(value)) return { kind: "unreadable", why: "A client report must be a JSON object." };
  const discarded: DiscardedEvents[] = [];
  for (const entry of listOf(value.discarded_events).slice(0, limits.tags)) {
    const { reason, category, quantity } = objectOf(entry);
    discarded.push({
      reason: nonEmptyText(reason, limits.shortText) ?? "unknown",
      category: nonEmptyText(category, limits.shortText) ?? "default",
      quantity: countOf(quantity) ?? 1,
    });
  }
  return {
    kind: "read",
    value: present({
      timestampMs: timeOf(value.timestamp),
      discarded,
      balance: readBalance(value.balance, limits),
    }),
  };
}
