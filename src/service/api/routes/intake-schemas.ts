import type { ShownFilter } from "../../console-api/filters-api.ts";
import type { ScrubTrial } from "../../console-api/scrub-api.ts";
import type { ProjectScrubRule } from "../../intake/scrub-rules.ts";
import type { Spike } from "../../intake/spike-rules.ts";
import type { QueryFinding } from "../../queries/slow-queries.ts";
import type { SpansAnswer } from "../../queries/spans.ts";
import type { AsJson } from "../schema/as-json.ts";
import { type ApiSchema, anyText, decimal, list, named, oneOf, shape, time, whole } from "../schema/schema.ts";
import { spanKindSchema } from "./trace-schemas.ts";

export const filterSchema: ApiSchema<AsJson<ShownFilter>> = named(
  "Filter",
  shape(
    {
      id: anyText(),
      kind: oneOf(["address", "browser", "crawler", "environment", "message", "release"]),
      pattern: anyText(
        "Of messages, releases and environments a text with `*`; of browsers a name with a bound, `Chrome < 80`; an address or network; nothing for crawlers.",
      ),
      createdAt: time(),
      dropped: whole(),
    },
    { lastAt: time(), example: anyText("The last report that it dropped, in one line, for a day.") },
  ),
);

export const scrubRuleSchema: ApiSchema<AsJson<ProjectScrubRule>> = named(
  "ScrubRule",
  shape({
    id: anyText(),
    path: anyText("Names with `*`, separated by dots; `**` stands for any number of them. Empty for everywhere."),
    expression: anyText("Taken out of texts. Empty for the whole value."),
    createdAt: time(),
  }),
);

export const scrubTrialSchema: ApiSchema<AsJson<ScrubTrial>> = named(
  "ScrubTrial",
  shape({
    eventId: anyText(),
    title: anyText(),
    at: time(),
    changes: list(shape({ path: anyText(), before: anyText(), after: anyText() })),
  }),
);

export const spikeSchema: ApiSchema<AsJson<Spike>> = named(
  "Spike",
  shape({
    since: time(),
    lastAt: time("The last minute with more errors than allowed."),
    dropped: whole(),
    perMinute: whole({ description: "Errors in the worst minute, and in a usual one." }),
    usual: decimal(),
  }),
);

const spanExample = named(
  "SpanExample",
  shape(
    {
      traceId: anyText(),
      spanId: anyText(),
      title: anyText(),
      kind: spanKindSchema,
      at: time(),
      durationMs: decimal(),
      status: anyText(),
      route: anyText(),
    },
    { op: anyText() },
  ),
);

const spanGroup = named(
  "SpanGroup",
  shape(
    {
      title: anyText(),
      kind: spanKindSchema,
      count: whole(),
      failed: whole(),
      p50: decimal(),
      p95: decimal(),
      totalMs: decimal(),
      routes: list(anyText(), { description: "Where they were, the most frequent first." }),
      slowest: spanExample,
    },
    { op: anyText() },
  ),
);

export const spansSchema: ApiSchema<AsJson<SpansAnswer>> = named(
  "Spans",
  shape({
    groups: list(spanGroup, { description: "Those that take most time first." }),
    examples: list(spanExample, { description: "The slowest, one of each trace." }),
    read: whole({ description: "Requests and page loads that were read, of those in the period." }),
    measured: whole(),
  }),
);

export const queryFindingSchema: ApiSchema<AsJson<QueryFinding>> = named(
  "QueryFinding",
  shape(
    {
      kind: oneOf(["repeated", "slow"], {
        description:
          "`repeated`: one query per element of a list, where one for all would do. `slow`: a single query takes long.",
      }),
      route: anyText(),
      statement: anyText("Without its values."),
      requests: whole({ description: "Requests in which it was found, of those of the route that were read." }),
      readOfRoute: whole(),
      times: decimal({ description: "In one request: the most repeats, or the most slow ones." }),
      costMs: decimal({ description: "What one request waits for it: in the middle of those in which it was found." }),
      totalMs: decimal({ description: "In all of them." }),
      example: shape({ traceId: anyText(), spanId: anyText() }),
    },
    { op: anyText() },
  ),
);
