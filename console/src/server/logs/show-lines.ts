import { href } from "holdfast";
import type { ListedLine } from "holdfast/service";

/** A line of a log as the screen shows it. */
export interface ShownLine {
  id: string;
  at: number;
  level: ListedLine["level"];
  body: string;
  attributes: readonly LineAttribute[];
  /** Where more about it is: its trace, its event, its page. */
  links: readonly { name: string; to: string }[];
}

export interface LineAttribute {
  name: string;
  value: string;
  /** What finds other lines with it. Undefined for a long text. */
  term: string | undefined;
}

/** A client may send any number, and any length. */
const mostAttributes = 60;
const longestText = 4_000;
const longestTerm = 200;

/** Attributes in which clients name an event. */
const eventNames = ["sentry.event_id", "event.id", "event_id", "digest", "holdfast.digest"];

export function showLine(project: number, line: ListedLine): ShownLine {
  const { place, at, level, body, attributes } = line;
  return {
    id: place,
    at,
    level,
    body: body.slice(0, longestText),
    attributes: Object.entries(attributes).slice(0, mostAttributes).map(showAttribute),
    links: linksOf(project, line),
  };
}

function showAttribute([name, given]: readonly [string, unknown]): LineAttribute {
  const value = (typeof given === "object" ? JSON.stringify(given) : `${given}`).slice(0, longestText);
  const isName = /^[A-Za-z][\w.-]*$/.test(name);
  return { name, value, term: isName && value.length <= longestTerm ? `${name}:${quoted(value)}` : undefined };
}

/** As the filter language reads it. */
export function quoted(value: string): string {
  return /^[^\s"\\:-][^\s"\\:]*$/.test(value) ? value : `"${value.replace(/(["\\])/g, "\\$1")}"`;
}

function linksOf(project: number, { traceId, spanId, route, attributes }: ListedLine): ShownLine["links"] {
  const event = eventNames.map((name) => attributes[name]).find((value) => typeof value === "string");
  return [
    ...(traceId === undefined
      ? []
      : [{ name: "Trace", to: href("/[project]/traces/[id]", { project, id: traceId }, { span: spanId }) }]),
    ...(typeof event === "string" && event.length <= 64
      ? [{ name: "Event", to: href("/[project]/events/[id]", { project, id: event }) }]
      : []),
    ...(route === undefined ? [] : [{ name: "Page", to: href("/[project]/pages/route", { project }, { route }) }]),
  ];
}
