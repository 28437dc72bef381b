import type { FiledEvent } from "./filed.ts";

/** Replaces every new text beyond the hourly limit, because a client can invent any number. */
export const otherNames = "(others)";

/** The issue of a project for new errors beyond the limit. No event has its fingerprint, because it is no hash. */
export const collected: Pick<FiledEvent, "grouping" | "title" | "owner"> = {
  grouping: [{ version: 1, hash: "f".repeat(32), reason: { rule: "too-many", parts: [] } }],
  title: {
    type: "Too many new issues",
    text: "more different errors came in an hour than issues are made",
    culprit: undefined,
  },
  // Its events have nothing in common.
  owner: undefined,
};
