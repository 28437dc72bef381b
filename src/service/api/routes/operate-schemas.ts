import type { Storage } from "../../console-api/console-api.ts";
import type { KeptList } from "../../console-api/kept-api.ts";
import type { HealingStatus, KeptResult, KeptWhole } from "../operations/operate-operations.ts";
import type { AsJson } from "../schema/as-json.ts";
import {
  type ApiSchema,
  anyText,
  flag,
  isoDate,
  list,
  named,
  oneOf,
  pair,
  shape,
  time,
  union,
  whole,
  word,
} from "../schema/schema.ts";

const keptPlace = named("KeptPlace", shape({ eventId: anyText(), issue: whole() }));

const keptState = oneOf(["done", "expired", "failed", "forgotten", "running", "unsure"]);

const runnable = shape({ id: anyText(), keptAt: time() });

export const keptListSchema: ApiSchema<AsJson<KeptList>> = named(
  "KeptList",
  shape({
    entries: list(
      shape(
        {
          fields: list(pair),
          files: list(shape({ field: anyText(), name: anyText(), type: anyText(), size: whole() })),
          id: anyText(),
          digest: anyText("The code that its visitor read."),
          state: keptState,
          keptAt: isoDate,
          changedAt: isoDate,
          runs: whole(),
          bytes: whole(),
        },
        {
          of: shape({ route: anyText(), action: anyText() }),
          unreadable: oneOf(["damaged", "other-key"]),
          lastDigest: anyText("Of its last failure, if it has been run again."),
          by: anyText(),
          place: keptPlace,
        },
      ),
    ),
    total: whole(),
    runnable: list(runnable, {
      description: "Those that have certainly not been done, so that they may run without a further look.",
    }),
  }),
);

export const keptResultSchema: ApiSchema<AsJson<KeptResult>> = named(
  "KeptResult",
  union(
    shape({ digest: anyText(), kind: word("unknown") }),
    shape({ digest: anyText(), kind: word("not-waiting"), state: keptState }),
    shape({ digest: anyText(), kind: word("unsure") }),
    shape({ digest: anyText(), kind: word("other-key") }),
    shape({ digest: anyText(), kind: word("damaged") }),
    shape({ digest: anyText(), kind: word("no-action"), route: anyText(), action: anyText() }),
    shape({ digest: anyText(), kind: word("invalid"), messages: list(anyText()) }),
    shape({ digest: anyText(), kind: word("ready"), isUnsure: flag(), route: anyText(), action: anyText() }),
    shape({ digest: anyText(), kind: word("done") }),
    shape({ digest: anyText(), kind: word("failed"), message: anyText() }),
    shape({ digest: anyText(), kind: word("running") }),
    shape({ digest: anyText(), kind: word("not-begun") }),
  ),
);

const requestCounts = named("RequestCounts", shape({ requests: whole(), failures: whole() }));

const healingCause = named("HealingCause", shape({ since: time(), new: requestCounts, before: requestCounts }));

const healingState = named(
  "HealingState",
  union(
    shape({ kind: word("new") }),
    shape({ kind: word("healed"), cause: healingCause }, { triedAt: time() }),
    shape({ kind: word("trial"), cause: healingCause }),
    shape({ kind: word("not-healed"), cause: healingCause, why: anyText() }),
    shape({ kind: word("pinned"), to: oneOf(["before", "new"]), since: time() }),
  ),
);

export const healingSchema: ApiSchema<AsJson<HealingStatus>> = named(
  "Healing",
  shape(
    { name: anyText(), routes: list(shape({ route: anyText(), on: anyText(), state: healingState })) },
    { before: anyText(), never: anyText("Why no route of this release is healed, if so.") },
  ),
);

const eventFile = named(
  "EventFile",
  shape({
    name: anyText(),
    from: time(),
    to: time(),
    bytes: whole(),
    isLater: flag({
      description:
        "Whether an earlier part of its week is in another file or deleted. If the oldest partition has it, events were deleted early.",
    }),
  }),
);

const diskUse = named(
  "DiskUse",
  shape({
    store: whole({
      description: "Weeks of events, spans and logs, and the long-lived data: issues, counters, source maps.",
    }),
    logs: whole({
      description: "Part of the store in write-ahead logs. During a checkpoint it is in the main file as well.",
    }),
    journal: whole({ description: "Accepted and not filed yet, or filed recently." }),
    other: whole({
      description: "Everything else: accounts, the audit log, records that could not be filed, and the reserve file.",
    }),
  }),
);

const deletion = named(
  "Deletion",
  shape({
    what: oneOf(["days", "events", "issues", "source-maps"]),
    why: oneOf(["age", "bytes", "low-disk"]),
    n: whole(),
  }),
);

export const storageSchema: ApiSchema<AsJson<Storage>> = named(
  "Storage",
  shape({
    files: list(eventFile, { description: "Files with events, newest first." }),
    use: diskUse,
    sourceMapBytes: whole(),
    gone: list(deletion),
  }),
);

export const keptSchema: ApiSchema<AsJson<KeptWhole>> = named(
  "Kept",
  shape(
    {
      fields: list(pair),
      files: list(shape({ field: anyText(), name: anyText(), type: anyText(), size: whole() })),
      id: anyText(),
      digest: anyText("The code that its visitor read."),
      state: keptState,
      keptAt: isoDate,
      changedAt: isoDate,
      runs: whole(),
      bytes: whole(),
    },
    {
      of: shape({ route: anyText(), action: anyText() }),
      unreadable: oneOf(["damaged", "other-key"]),
      lastDigest: anyText("Of its last failure, if it has been run again."),
      by: anyText(),
      place: keptPlace,
    },
  ),
);
