import type { ProtocolLimits } from "../limits.ts";

/** Units of rate limits, quotas and client reports. */
export type Category =
  | "default"
  | "error"
  | "transaction"
  | "span"
  | "log_item"
  | "trace_metric"
  | "session"
  | "attachment"
  | "replay"
  | "monitor"
  | "feedback"
  | "security"
  | "internal";

export interface ItemKind {
  readonly category: Category;
  readonly maxBytes: keyof ProtocolLimits & `${string}Bytes`;
  readonly format: "json" | "bytes";
}

export type ItemType =
  | "event"
  | "transaction"
  | "feedback"
  | "user_report"
  | "span"
  | "log"
  | "trace_metric"
  | "session"
  | "sessions"
  | "client_report"
  | "check_in"
  | "attachment"
  | "replay_event"
  | "replay_recording";

/** All supported items. Others are skipped and counted, so that newer clients lose nothing else. */
export const itemKinds: Readonly<Record<ItemType, ItemKind>> = {
  event: { category: "error", maxBytes: "eventBytes", format: "json" },
  transaction: { category: "transaction", maxBytes: "eventBytes", format: "json" },
  feedback: { category: "feedback", maxBytes: "eventBytes", format: "json" },
  user_report: { category: "feedback", maxBytes: "smallItemBytes", format: "json" },
  span: { category: "span", maxBytes: "containerBytes", format: "json" },
  log: { category: "log_item", maxBytes: "containerBytes", format: "json" },
  trace_metric: { category: "trace_metric", maxBytes: "containerBytes", format: "json" },
  session: { category: "session", maxBytes: "smallItemBytes", format: "json" },
  sessions: { category: "session", maxBytes: "smallItemBytes", format: "json" },
  client_report: { category: "internal", maxBytes: "smallItemBytes", format: "json" },
  check_in: { category: "monitor", maxBytes: "smallItemBytes", format: "json" },
  attachment: { category: "attachment", maxBytes: "attachmentBytes", format: "bytes" },
  replay_event: { category: "replay", maxBytes: "eventBytes", format: "json" },
  replay_recording: { category: "replay", maxBytes: "replayBytes", format: "bytes" },
};

export function isItemType(type: string): type is ItemType {
  return Object.hasOwn(itemKinds, type);
}
