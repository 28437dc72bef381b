import type { FindResult } from "../../queries/find.ts";
import type { PublicEvent } from "../../queries/public-event.ts";
import type { SearchAnswer } from "../../queries/search.ts";
import type { VisitorAnswer } from "../../queries/visitor.ts";
import type { AsJson } from "../schema/as-json.ts";
import {
  type ApiSchema,
  anyText,
  anything,
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
import { issueStateSchema } from "./issue-schemas.ts";

const stackFrame = named(
  "StackFrame",
  shape(
    { isApplication: flag() },
    {
      function: anyText(),
      file: anyText(),
      module: anyText(),
      line: whole(),
      column: whole(),
      source: shape({ before: list(anyText()), line: anyText(), after: list(anyText()) }),
      variables: table(anything),
    },
  ),
);

const exception = named(
  "Exception",
  shape(
    {
      relation: oneOf(["cause", "context", "member", "thrown"]),
      depth: whole(),
      frames: list(stackFrame, { description: "Innermost call first." }),
    },
    {
      type: anyText(),
      value: anyText(),
      member: whole({ description: "Position in a collection of errors, from 1." }),
      handled: flag(),
    },
  ),
);

export const eventSchema: ApiSchema<AsJson<PublicEvent>> = named(
  "Event",
  shape(
    {
      id: anyText(),
      digest: anyText("The code that the visitor was shown."),
      project: whole(),
      issue: shape({ number: whole(), title: anyText(), state: anyText() }, { link: anyText() }),
      title: anyText(),
      at: anyText(),
      receivedAt: anyText(),
      level: anyText(),
      kept: oneOf(["damaged", "damped", "whole"], {
        description:
          "`damped`: only its row was stored, because very many of its kind arrived at once. `damaged`: the disk has corrupted it.",
      }),
      notes: list(shape({ at: anyText(), message: anyText() }, { name: anyText(), email: anyText() }), {
        description: "Notes of visitors.",
      }),
    },
    {
      link: anyText("Its page in the console, if the console's address is known."),
      route: anyText(),
      release: anyText(),
      environment: anyText(),
      traceId: anyText(),
      platform: anyText(),
      logger: anyText(),
      server: anyText(),
      client: shape({}, { name: anyText(), version: anyText() }),
      message: anyText(),
      exceptions: list(exception, { description: "The thrown exception, then its descendants." }),
      frames: list(stackFrame, { description: "For an event without exceptions, innermost call first." }),
      user: shape({}, { id: anyText(), email: anyText(), username: anyText(), name: anyText() }),
      request: table(anything),
      tags: table(anyText()),
      breadcrumbs: list(table(anything)),
      contexts: table(table(anything)),
      extra: table(anything),
      modules: table(anyText()),
      fingerprint: list(anyText()),
      remarks: list(anyText(), { description: "Parts of the report that were dropped or unreadable." }),
    },
  ),
);

export const findResultSchema: ApiSchema<AsJson<FindResult>> = named(
  "FindResult",
  union(
    shape({ kind: word("event"), eventId: anyText() }),
    shape({ kind: word("feedback"), id: anyText() }),
    shape({ kind: word("trace"), traceId: anyText() }),
    shape({ kind: word("issue"), number: whole() }),
    shape({ kind: word("release"), name: anyText() }),
    shape({ kind: word("visitor"), visitor: whole() }),
    shape({ kind: word("issues"), filter: anyText() }),
  ),
);

const foundVisitor = named(
  "FoundVisitor",
  shape(
    { visitor: whole(), about: anyText("Their other identities, for visitors of the same name."), lastAt: time() },
    { name: anyText("Absent if only page views are stored, which do not say who it was.") },
  ),
);

export const searchResultSchema: ApiSchema<AsJson<SearchAnswer>> = named(
  "SearchResult",
  shape({ visitors: list(foundVisitor), releases: list(anyText()), routes: list(anyText()) }),
);

const visitorIdentity = named(
  "VisitorIdentity",
  shape({}, { id: anyText(), email: anyText(), username: anyText(), name: anyText() }),
);

const visitPage = named(
  "VisitPage",
  shape({
    route: anyText(),
    from: time(),
    to: time(),
    traceId: anyText(),
    failures: list(whole(), { description: "Times of the failures while it was open." }),
  }),
);

const visitStep = named(
  "VisitStep",
  shape(
    {
      at: time(),
      text: anyText(),
      kind: oneOf([
        "click",
        "debug",
        "error",
        "fatal",
        "feedback",
        "info",
        "log",
        "navigation",
        "note",
        "page",
        "request",
        "warning",
      ]),
    },
    {
      fails: flag({ description: "Whether it failed." }),
      traceId: anyText("Trace for details."),
      eventId: anyText(),
      digest: anyText(),
      durationMs: decimal(),
      times: decimal({ description: "How often it happened in a row." }),
      issue: whole(),
    },
  ),
);

export const visitorSchema: ApiSchema<AsJson<VisitorAnswer>> = named(
  "Visitor",
  shape(
    {
      visitor: whole(),
      firstAt: time(),
      visits: list(
        shape({
          from: time(),
          to: time(),
          releases: list(anyText()),
          devices: list(anyText()),
          pages: list(visitPage, { description: "In order of time." }),
          failures: whole(),
          steps: list(visitStep),
        }),
        { description: "Newest first." },
      ),
      issues: list(shape({ number: whole(), title: anyText(), state: issueStateSchema, times: decimal() }), {
        description: "Issues in these visits, those met most often first.",
      }),
    },
    {
      who: visitorIdentity,
      earlier: time("Time before which the next page begins. Absent if there are no earlier visits."),
    },
  ),
);
