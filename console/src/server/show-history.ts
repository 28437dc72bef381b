import { href } from "holdfast";
import type { IssueAnswer, IssueState } from "holdfast/service";
import type { ShownChange } from "../parts/issue/activity.tsx";
import type { CommentPart } from "../parts/issue/comment.tsx";
import { readComment } from "./comment-text.ts";
import { fixedIn, inRelease, untilWhen } from "./show-state.ts";
import type { NameOf } from "./shown-names.ts";

type History = IssueAnswer["history"];
type Change = History[number]["what"];

/** Changes of an issue in words. */
export function showHistory(history: History, project: number, nameOf: NameOf): ShownChange[] {
  return history.map(({ at, by, what }) => ({
    at,
    by: doers[by] ?? nameOf(by),
    does: wordsFor(what, nameOf),
    until: what.kind === "state" ? endOf(what.to) : undefined,
    comment: what.kind === "comment" ? commentOf(what, project) : undefined,
  }));
}

function commentOf({ text, mentions = [] }: Extract<Change, { kind: "comment" }>, project: number): CommentPart[] {
  const addressOf = (number: number) => href("/[project]/issues/[number]", { project, number });
  return readComment(text, new Map(mentions.map((number) => [number, addressOf(number)])));
}

/** Authors of changes that no person made. */
const doers: Readonly<Record<string, string>> = {
  events: "It",
  clock: "The end of its mute",
  "check-ins": "The next good run",
  rules: "The rules",
};

const undoneWords = {
  state: "the change of state",
  assigned: "the assignment",
  ticket: "the ticket",
  comment: "a comment",
  merged: "the merge",
  split: "the split",
} as const;

/** Its author is written before it. */
function wordsFor(what: Change, nameOf: NameOf): string {
  switch (what.kind) {
    case "state":
      return wordsForState(what.to);
    case "assigned":
      return wordsForAssignment(what, nameOf);
    case "ticket":
      return what.to === undefined ? "took the ticket away" : "kept its ticket";
    case "comment":
      return "wrote";
    case "merged":
      return "merged another issue into it";
    case "split":
      return "took a merged issue out again";
    case "imported":
      return "imported it";
    case "undone":
      return `took back ${undoneWords[what.what]}`;
  }
}

function wordsForAssignment({ to, rule }: Extract<Change, { kind: "assigned" }>, nameOf: NameOf): string {
  if (to === undefined) return "took the assignment back";
  return rule === undefined ? `assigned it to ${nameOf(to)}` : `assigned it to ${nameOf(to)} by rule ${rule}`;
}

function wordsForState(state: IssueState): string {
  switch (state.kind) {
    case "open":
      return "opened it";
    case "regressed":
      return `came back${inRelease(state.release)}`;
    case "resolved":
      return `resolved it${fixedIn(state.fixed)}`;
    case "muted":
      return `muted it ${untilWhen(state.until)}`.trimEnd();
  }
}

/** The page writes the time, in the zone of its reader. */
function endOf(state: IssueState): number | undefined {
  return state.kind === "muted" && state.until.kind === "time" ? state.until.at : undefined;
}
