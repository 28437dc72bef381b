import type { ReportedEvent } from "#protocol";
import type { PortableLine } from "../../stores/portable/lines.ts";
import { checkBySchema } from "../schema/check.ts";
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
  text,
  union,
  whole,
  word,
} from "../schema/schema.ts";
import { issueStateSchema } from "./issue-schemas.ts";

const moment = whole({ min: 0, max: 9_999_999_999_999, description: "Milliseconds since 1970." });
const id = text({ min: 32, max: 32, pattern: "^[0-9a-f]{32}$" });
const fingerprint = id;
const level = oneOf(["debug", "info", "warning", "error", "fatal"]);
const hash = whole({ min: 0, max: Number.MAX_SAFE_INTEGER });
const anything: ApiSchema<unknown> = {};
const object: ApiSchema<Readonly<Record<string, unknown>>> = { type: "object", additionalProperties: {} };
const texts = list(anyText());

const frame = shape(
  {},
  {
    filename: anyText(),
    absPath: anyText(),
    function: anyText(),
    module: anyText(),
    line: decimal(),
    column: decimal(),
    inApp: flag(),
    contextLine: anyText(),
    preContext: texts,
    postContext: texts,
    vars: object,
    debugId: anyText(),
    isMapped: flag(),
  },
);

const exception = shape(
  { frames: list(frame) },
  {
    type: anyText(),
    value: anyText(),
    module: anyText(),
    mechanism: shape(
      { synthetic: flag() },
      {
        type: anyText(),
        handled: flag(),
        exceptionId: decimal(),
        parentId: decimal(),
        source: anyText(),
        data: object,
      },
    ),
  },
);

/** The fields of an event as a store has read them. The compiler cannot see that both are the same. */
const event = named(
  "PortableEvent",
  shape(
    {
      level,
      exceptions: list(exception),
      tags: table(anyText()),
      breadcrumbs: list(
        shape(
          {},
          { timestampMs: decimal(), type: anyText(), category: anyText(), level, message: anyText(), data: object },
        ),
      ),
      contexts: table(object),
      extra: object,
      modules: table(anyText()),
      debugImages: list(shape({ debugId: anyText() }, { codeFile: anyText() })),
    },
    {
      eventId: anyText(),
      timestampMs: decimal(),
      platform: anyText(),
      logger: anyText(),
      transaction: anyText(),
      culprit: anyText(),
      serverName: anyText(),
      release: anyText(),
      dist: anyText(),
      environment: anyText(),
      message: shape({ text: anyText() }, { template: anyText(), params: texts }),
      frames: list(frame),
      fingerprint: texts,
      user: shape(
        {},
        { id: anyText(), email: anyText(), username: anyText(), name: anyText(), ipAddress: anyText(), data: object },
      ),
      request: shape(
        { headers: table(anyText()) },
        {
          method: anyText(),
          url: anyText(),
          queryString: anyText(),
          cookies: anything,
          data: anything,
          env: object,
        },
      ),
      sdk: shape({}, { name: anyText(), version: anyText() }),
      trace: shape(
        { traceId: anyText(), data: object },
        {
          spanId: anyText(),
          parentSpanId: anyText(),
          op: anyText(),
          status: anyText(),
          origin: anyText(),
          sampled: flag(),
        },
      ),
      remarks: texts,
    },
  ),
) as ApiSchema<ReportedEvent>;

const rules = [
  "custom-fingerprint",
  "error-code",
  "message",
  "stack",
  "library",
  "type-and-text",
  "place",
  "too-many",
] as const;

const step = shape({ text: anyText() }, { at: decimal(), kind: anyText() });

const entry = union(
  shape({ kind: word("state"), from: issueStateSchema, to: issueStateSchema }),
  shape({ kind: word("assigned") }, { to: anyText(), from: anyText(), rule: anyText() }),
  shape({ kind: word("ticket") }, { to: anyText(), from: anyText() }),
  shape({ kind: word("comment"), text: anyText() }, { mentions: list(whole()) }),
  shape({ kind: word("mentioned"), issue: fingerprint }),
  shape({ kind: word("merged"), issue: fingerprint }, { groups: list(fingerprint) }),
  shape({ kind: word("split"), issue: fingerprint }),
  shape({ kind: word("undone"), what: oneOf(["state", "assigned", "ticket", "comment", "merged", "split"]) }),
);

/** A line of an export, as an import takes it. */
export const portableLine = named(
  "PortableLine",
  union(
    shape(
      {
        kind: word("issue"),
        fingerprints: list(fingerprint, { min: 1, max: 50 }),
        version: whole({ min: 1, max: 1_000 }),
        rule: oneOf(rules),
        parts: texts,
        title: anyText(),
        level,
        firstSeen: moment,
        lastEventId: id,
      },
      {
        number: whole({ min: 1, max: 999_999_999 }),
        type: anyText(),
        culprit: anyText(),
        platform: anyText(),
        route: anyText(),
        firstRelease: anyText(),
      },
    ),
    shape(
      { kind: word("event"), id, at: moment, receivedAt: moment, level },
      {
        otherId: id,
        group: fingerprint,
        route: anyText(),
        release: anyText(),
        environment: anyText(),
        traceId: id,
        visitor: hash,
        event,
      },
    ),
    shape(
      {
        kind: word("attachment"),
        eventId: id,
        receivedAt: moment,
        filename: text({ max: 1_000 }),
        base64: anyText(),
      },
      { contentType: text({ max: 1_000 }) },
    ),
    shape(
      {
        kind: word("feedback"),
        at: moment,
        message: anyText(),
        facts: shape(
          {},
          {
            source: anyText(),
            route: anyText(),
            release: anyText(),
            environment: anyText(),
            traceId: anyText(),
            steps: list(step),
          },
        ),
      },
      { eventId: id, name: anyText(), email: anyText(), url: anyText(), ownId: id, archivedAt: moment },
    ),
    shape(
      {
        kind: word("figures"),
        of: text({ min: 1, max: 50 }),
        rows: list(table(union(anyText(), decimal(), { type: "null" } as ApiSchema<null>)), { max: 1_000 }),
      },
      { group: fingerprint },
    ),
    shape(
      {
        kind: word("triage"),
        group: fingerprint,
        state: issueStateSchema,
        history: list(shape({ at: moment, by: anyText(), what: entry })),
      },
      { assignee: anyText(), ticket: text({ max: 1_000, pattern: "^https?://" }), mergedInto: fingerprint },
    ),
  ),
) as ApiSchema<PortableLine>;

/** Reads a line of a file. */
export function readPortableLine(
  value: unknown,
): { readonly kind: "line"; readonly line: PortableLine } | { readonly kind: "wrong"; readonly why: string } {
  const read = checkBySchema(portableLine, value);
  if (read.kind === "valid") return { kind: "line", line: read.value };
  return { kind: "wrong", why: `${read.path === "" ? "The line" : read.path.slice(1)}: ${read.why}` };
}
