import type { IssueState, MuteWish } from "../../issues/issue-state.ts";
import type { ApiEventSummary, ApiIssue, ApiIssueChange, ApiIssueDetails } from "../operations/issue-operations.ts";
import {
  type ApiSchema,
  anyText,
  list,
  named,
  oneOf,
  open,
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
export const issueChange: ApiSchema<ApiIssueChange> = named(
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

const state = named(
  "IssueState",
  union(
    shape({ kind: word("open") }),
    shape({ kind: word("regressed"), at: time(), resolvedAt: time() }, { release: anyText() }),
    shape({ kind: word("resolved"), at: time(), by: anyText(), fixed }),
    shape({ kind: word("muted"), at: time(), by: anyText(), until }),
  ),
) as ApiSchema<IssueState>;

export const issue = named(
  "Issue",
  shape(
    {
      number: whole({ description: "Visible number, in each project from 1." }),
      state,
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
) as ApiSchema<ApiIssue>;

export const issueDetails = named(
  "IssueDetails",
  shape(
    {
      issue,
      history: list(open("HistoryEntry", "A change of the issue: when, by whom and what.")),
      releases: list(
        named("IssueRelease", shape({ release: anyText(), firstSeen: time(), lastSeen: time(), events: whole() })),
      ),
      distributions: list(open("Distribution", "How the events are distributed over the values of one tag.")),
      similar: list(issue),
      mentionedIn: list(issue),
    },
    { suspect: open("SuspectCommit", "The commit that probably caused it.") },
  ),
) as ApiSchema<ApiIssueDetails>;

export const eventSummary = named(
  "EventSummary",
  shape(
    { eventId: anyText(), at: time(), receivedAt: time(), level: anyText() },
    { route: anyText(), release: anyText(), environment: anyText(), traceId: anyText() },
  ),
) as ApiSchema<ApiEventSummary>;
