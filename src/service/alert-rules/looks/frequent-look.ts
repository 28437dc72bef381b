import { findFrequent } from "./find-frequent.ts";
import { isError } from "./issue-kinds.ts";
import { issueLook } from "./issue-look.ts";
import { nothingNew, type RuleLook } from "./rule-look.ts";

/** Twice a minute, so that a message still leaves within a minute. */
const everyMs = 30_000;
const name = "frequent";

export const frequentLook: RuleLook = {
  kind: "frequency",
  async look(context) {
    const { store, now, cursor } = context;
    if (now - (cursor(name) ?? 0) < everyMs) return nothingNew;
    const look = issueLook({
      kind: "frequency",
      cursor: name,
      find: (_store, asked) => findFrequent(store, { ...asked, now }),
      isMeant: isError,
    });
    return look.look(context);
  },
};
