import type { IssueState, MuteWish } from "../../issues/issue-state.ts";
import type { SuspectCommit } from "../../queries/suspect-commit.ts";
import type { Commit } from "../../stores/records.ts";
import type { ApiIssueVisitors } from "../operations/insight-operations.ts";
import type { ApiEventSummary, ApiIssue, ApiIssueChange, ApiIssueDetails } from "../operations/issue-operations.ts";
import type { AsJson } from "../schema/as-json.ts";
import {
  type ApiSchema,
  anyText,
  decimal,
  list,
  named,
  oneOf,
  shape,
  text,
  time,
  union,
  whole,
  word,
} from "../schema/schema.ts";

const release: ApiSchema<string> = text({ min: 1, max: 250, description: "Name of a release." });

const mute: ApiSchema<MuteWish> = union(
  shape({ kind: word("for-ever") }),
  shape({ kind: word("time"), at: whole({ min: 0, max: 9_999_999_999_999, description: "Milliseconds since 1970." }) }),
  shape({ kind: word("events"), more: whole({ min: 1, max: 1_000_000_000 }) }),
  shape({ kind: word("visitors"), more: whole({ min: 1, max: 1_000_000_000 }) }),
);

/** What can be done with issues. */
export const issueChangeSchema: ApiSchema<ApiIssueChange> = named(
  "IssueChange",
  union(
    shape({ kind: word("resolve"), in: oneOf(["now", "next-release"]) }),
    shape({ kind: word("resolve"), in: word("release"), release }),
    shape({ kind: word("mute"), until: mute }),
    shape({ kind: word("reopen") }),
    shape(
      { kind: word("assign") },
      { to: text({ min: 1, max: 200, description: "E-mail address or name. Absent: to no person." }) },
    ),
    shape(
      { kind: word("ticket") },
      { address: text({ max: 1_000, pattern: "^https?://", description: "Of its ticket elsewhere. Absent: none." }) },
    ),
    shape({ kind: word("comment"), text: text({ min: 1, max: 4_000, pattern: "\\S" }) }),
    shape({ kind: word("merge"), intoNumber: whole({ min: 1, max: 999_999_999 }) }),
    shape({ kind: word("split") }),
    shape({ kind: word("undo") }),
  ),
);

const fixed = union(
  shape({ in: word("now") }),
  shape({ in: word("release"), release: anyText() }),
  shape({ in: word("next-release"), after: anyText() }),
  shape({ in: word("next-release") }),
);

const until = union(
  shape({ kind: word("for-ever") }),
  shape({ kind: word("time"), at: time() }),
  shape({ kind: word("events"), more: whole(), from: whole() }),
  shape({ kind: word("visitors"), more: whole(), from: whole() }),
);

export const issueStateSchema: ApiSchema<AsJson<IssueState>> = named(
  "IssueState",
  union(
    shape({ kind: word("open") }),
    shape({ kind: word("regressed"), at: time(), resolvedAt: time() }, { release: anyText() }),
    shape({ kind: word("resolved"), at: time(), by: anyText(), fixed }),
    shape({ kind: word("muted"), at: time(), by: anyText(), until }),
  ),
);

export const issueSchema: ApiSchema<AsJson<ApiIssue>> = named(
  "Issue",
  shape(
    {
      number: whole({ description: "Visible number, in each project from 1." }),
      state: issueStateSchema,
      title: anyText(),
      level: anyText(),
      firstSeen: time(),
      lastSeen: time(),
      events: whole(),
      visitors: whole(),
      stuck: whole({ description: "Visitors who met it and reached nothing afterwards, in the last four weeks." }),
      lastEventId: anyText(),
    },
    {
      type: anyText("Class of the error."),
      culprit: anyText("Where it was thrown."),
      platform: anyText(),
      route: anyText(),
      firstRelease: anyText(),
      lastRelease: anyText(),
      assignee: anyText(),
      ticket: anyText("Address of its ticket elsewhere."),
    },
  ),
);

const historyEntry = named(
  "HistoryEntry",
  shape({
    at: time(),
    by: anyText(),
    what: union(
      shape({ kind: word("state"), from: issueStateSchema, to: issueStateSchema }),
      shape(
        { kind: word("assigned") },
        { to: anyText(), from: anyText(), rule: anyText("The ownership rule, if no person did it.") },
      ),
      shape({ kind: word("ticket") }, { to: anyText(), from: anyText() }),
      shape({ kind: word("comment"), text: anyText() }, { mentions: list(whole()) }),
      shape({ kind: word("merged"), issue: whole() }, { groups: list(whole()) }),
      shape({ kind: word("split"), issue: whole() }),
      shape({ kind: word("imported") }),
      shape({ kind: word("undone"), what: oneOf(["assigned", "comment", "merged", "split", "state", "ticket"]) }),
    ),
  }),
);

const distribution = named(
  "Distribution",
  shape({ key: anyText(), total: whole(), values: list(shape({ value: anyText(), n: whole(), share: decimal() })) }),
);

const fixedIssue = named("FixedIssue", shape({ number: whole() }, { project: whole() }));

export const commitSchema: ApiSchema<AsJson<Commit>> = named(
  "Commit",
  shape(
    { hash: anyText(), author: anyText(), at: time(), subject: anyText() },
    {
      files: list(anyText(), { description: "Files that it touches, from the root of the repository." }),
      fixes: list(fixedIssue, { description: "Issues that its message says it fixes." }),
    },
  ),
);

export const suspectCommitSchema: ApiSchema<AsJson<SuspectCommit>> = named(
  "SuspectCommit",
  shape({ commit: commitSchema, file: anyText("The file of the stack that it touches."), release: anyText() }),
);

const issueRelease = named(
  "IssueRelease",
  shape({ release: anyText(), firstSeen: time(), lastSeen: time(), events: whole() }),
);

export const issueVisitorsSchema: ApiSchema<AsJson<ApiIssueVisitors>> = named(
  "IssueVisitors",
  shape({
    visitors: list(
      shape(
        { visitor: whole(), events: whole(), firstAt: time(), lastAt: time(), lastEventId: anyText() },
        { release: anyText("Of the last event."), name: anyText("Absent for an anonymous visit."), device: anyText() },
      ),
    ),
    total: whole({ description: "In all pages." }),
    counted: whole({ description: "Number of events that were counted. If the issue has more, older ones were not." }),
  }),
);

export const issueDetailsSchema: ApiSchema<AsJson<ApiIssueDetails>> = named(
  "IssueDetails",
  shape(
    {
      issue: issueSchema,
      history: list(historyEntry),
      releases: list(issueRelease),
      distributions: list(distribution, { description: "How the events are distributed over the values of tags." }),
      similar: list(issueSchema),
      mentionedIn: list(issueSchema),
    },
    { suspect: suspectCommitSchema },
  ),
);

export const eventSummarySchema: ApiSchema<AsJson<ApiEventSummary>> = named(
  "EventSummary",
  shape(
    { eventId: anyText(), at: time(), receivedAt: time(), level: anyText() },
    { route: anyText(), release: anyText(), environment: anyText(), traceId: anyText(), visitor: whole() },
  ),
);
