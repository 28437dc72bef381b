import type { AfterErrors } from "../../balance/after-errors.ts";
import type { BalanceHour } from "../../console-api/balance-api.ts";
import type { LiveVisitor } from "../../queries/live.ts";
import type { ApiLive } from "../operations/insight-operations.ts";
import type { AsJson } from "../schema/as-json.ts";
import {
  type ApiSchema,
  anyText,
  decimal,
  flag,
  list,
  named,
  oneOf,
  shape,
  table,
  time,
  union,
  whole,
  word,
} from "../schema/schema.ts";
import { logLineSchema, segmentKindSchema } from "./trace-schemas.ts";

const liveRecord = named(
  "LiveRecord",
  union(
    shape(
      { kind: word("event"), at: time(), eventId: anyText(), title: anyText(), level: anyText() },
      { route: anyText(), environment: anyText(), traceId: anyText(), visitor: whole() },
    ),
    shape(
      {
        kind: word("segment"),
        at: time(),
        traceId: anyText(),
        route: anyText(),
        segment: segmentKindSchema,
        durationMs: decimal(),
        status: anyText(),
      },
      { environment: anyText(), visitor: whole() },
    ),
    shape({ kind: word("log"), at: time(), line: logLineSchema }),
  ),
);

export const liveVisitorSchema: ApiSchema<AsJson<LiveVisitor>> = named(
  "LiveVisitor",
  shape(
    {
      visitor: whole(),
      views: whole(),
      errors: whole(),
      last: shape(
        { at: time(), kind: oneOf(["event", "navigation", "pageload", "request", "task"]) },
        { level: oneOf(["debug", "info", "warning", "error", "fatal"], { description: "Of an event." }) },
        { description: "Their last record." },
      ),
    },
    {
      route: anyText("Their last page."),
      release: anyText(),
      lastEventId: anyText(),
      name: anyText("From their last error, if there was one."),
    },
  ),
);

export const liveSchema: ApiSchema<AsJson<ApiLive>> = named(
  "Live",
  shape(
    { records: list(liveRecord, { description: "In order of arrival." }) },
    { after: decimal({ description: "Position for the next query." }) },
  ),
);

const missingEnd = named(
  "MissingEnd",
  shape(
    { id: anyText(), route: anyText(), at: time() },
    {
      name: anyText("The action of a submission, or where a navigation leads."),
      key: anyText("Of a submission, as its action gets it."),
    },
  ),
);

const balanceTally = named(
  "BalanceTally",
  shape({
    begun: whole(),
    ends: table(whole(), "How many have ended, by kind of end."),
    running: whole({ description: "Their server says that they still run." }),
    missing: list(missingEnd),
  }),
);

const missingPage = named("MissingPage", shape({ digest: anyText(), at: time(), route: anyText() }));

export const afterErrorsSchema: ApiSchema<AfterErrors> = named(
  "AfterErrors",
  shape({
    visitors: whole(),
    further: whole({ description: "Reached another page." }),
    through: whole({ description: "Reached the same page by trying again." }),
    gaveUp: whole(),
    open: whole({ description: "Their visit may go on." }),
    unknown: whole({ description: "Only a server knows of the page: without scripts, nothing says what came next." }),
  }),
);

export const balanceHourSchema: ApiSchema<AsJson<BalanceHour>> = named(
  "BalanceHour",
  shape({
    at: time(),
    submissions: balanceTally,
    navigations: balanceTally,
    leftOut: list(shape({ reason: anyText(), n: whole() }), {
      description: "Errors that a rule of a client left out, by rule. They are no difference: no page promised them.",
    }),
    hour: whole({ description: "Since 1970." }),
    isClosed: flag({
      description:
        "An hour is closed when its grace period is over. Before, what is missing is still being looked for.",
    }),
    shown: whole(),
    filed: whole(),
    declared: whole({ description: "Without an event, and the source said why." }),
    onTheirWay: whole({ description: "The source says that reports from before then still wait in its outbox." }),
    missing: list(missingPage),
  }),
);
