import { titleLine } from "../../grouping/title.ts";
import type { IssueState } from "../../issues/issue-state.ts";
import type { IssueRecord } from "../../stores/records.ts";

export function timeText(at: number): string {
  return new Date(at).toISOString();
}

/** Text in one line. A line break in a title would look like a line of its own. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** `#12 open, 40 events, 7 visitors, last 2026-11-11T12:00:00.000Z: TypeError: x is undefined (src/cart.ts:4)`. */
export function issueLine(issue: IssueRecord): string {
  const { number, state, events, visitors, lastSeen, type, title, culprit, route } = issue;
  const places = [culprit, route].filter((one) => one !== undefined).map(oneLine);
  const where = places.length === 0 ? "" : ` (${places.join(", ")})`;
  const counts = `${events} events, ${visitors} visitors, last ${timeText(lastSeen)}`;
  return `#${number} ${state.kind}, ${counts}: ${oneLine(titleLine(type, title))}${where}`;
}

export function stateText(state: IssueState): string {
  switch (state.kind) {
    case "open":
      return "open";
    case "regressed":
      return `regressed at ${timeText(state.at)}${state.release === undefined ? "" : ` in ${oneLine(state.release)}`}`;
    case "resolved":
      return `resolved at ${timeText(state.at)} by ${oneLine(state.by)}`;
    case "muted":
      return `muted at ${timeText(state.at)} by ${oneLine(state.by)}`;
  }
}

/** A heading with its lines, or nothing without lines. */
export function section(heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", `${heading}:`, ...lines];
}
