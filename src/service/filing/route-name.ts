import { type AttributeMap, textAttribute } from "#protocol";

/**
 * Removes the method: `GET /orders/[id]` and `/orders/[id]` are one route, so that its page, data and documents are
 * shown together.
 */
export function routeName(name: string): string {
  return name.replace(/^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (?=\/)/, "");
}

/**
 * Returns the route of a span: the pattern, if the client sends it. Otherwise clients name a page load `Pageload` and a
 * request `GET`, so the path with its variable parts replaced is more useful.
 */
export function routeOfSpan(span: { name: string; op?: string; isSegment: boolean; attributes: AttributeMap }): string {
  const { attributes } = span;
  const pattern = textAttribute(attributes, "http.route") ?? textAttribute(attributes, "url.template");
  if (pattern !== undefined) return routeName(pattern);
  // An interaction is a segment named after the clicked element. An attribute names its page.
  if (!span.isSegment || span.op?.startsWith("ui.") === true) return routeName(pageBeside(attributes) ?? span.name);
  const path = textAttribute(attributes, "url.path");
  const isNamedByUrl = textAttribute(attributes, "sentry.segment.name.source") === "url" || !span.name.includes("/");
  return path !== undefined && isNamedByUrl ? pathPattern(path) : routeName(span.name);
}

function pageBeside(attributes: AttributeMap): string | undefined {
  return ["sentry.segment.name", "sentry.transaction", "transaction"]
    .map((name) => textAttribute(attributes, name))
    .find((name) => name !== undefined);
}

/** `/orders/4711` → `/orders/*`: replaces numbers and ids. */
function pathPattern(path: string): string {
  return path
    .split("/")
    .map((part) => (/^(?:\d+|[0-9a-f-]{8,})$/i.test(part) ? "*" : part))
    .join("/");
}
