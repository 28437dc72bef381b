import { type AttributeMap, type ReportedSpan, textAttribute } from "#protocol";

/** What a span spends its time on: the colour of its bar. `code` is everything that says nothing else. */
export type SpanKind = "browser" | "request" | "code" | "database" | "render";

/** Operations of Sentry clients begin with a family: `db.query`, `http.client`. The first pattern that fits decides. */
const families: readonly (readonly [SpanKind, RegExp])[] = [
  ["database", /^(?:db|sql|cache|redis|mongodb?|elasticsearch)\b/],
  ["request", /^(?:https?|grpc|rpc|websocket|queue|messaging|graphql|gen_ai|faas|prefetch)\b/],
  ["render", /^(?:render|template|view|ui\.(?:\w+\.)?(?:render|mount|update|commit|load))\b/],
  ["browser", /^(?:pageload|navigation|ui|browser|resource|paint|mark|measure|app|long-?task|webvital|react)\b/],
];

/** Clients of OpenTelemetry send attributes instead of an operation. */
const attributeNames: readonly (readonly [SpanKind, readonly string[]])[] = [
  ["database", ["db.system", "db.system.name", "db.statement", "db.query.text"]],
  ["request", ["http.request.method", "http.method", "rpc.system", "messaging.system"]],
];

export function spanKind({ op, attributes }: Pick<ReportedSpan, "op" | "attributes">): SpanKind {
  const family = op === undefined ? undefined : families.find(([, pattern]) => pattern.test(op));
  return (family ?? attributeNames.find(([, names]) => hasOneOf(names, attributes)))?.[0] ?? "code";
}

function hasOneOf(names: readonly string[], attributes: AttributeMap): boolean {
  return names.some((name) => textAttribute(attributes, name) !== undefined);
}
