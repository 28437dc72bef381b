import { type AttributeMap, textAttribute } from "#protocol";

/** `GET /orders/[id]` and `/orders/[id]` are one route: its page, its data and its documents belong together. */
export function routeName(name: string): string {
  return name.replace(/^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (?=\/)/, "");
}

/**
 * The route of a span: the pattern where a client tells it. Without one, clients name a page load `Pageload` and a
 * request `GET`; the path then says more, once what differs from visit to visit is taken out.
 */
export function routeOfSpan(span: { name: string; op?: string; isSegment: boolean; attributes: AttributeMap }): string {
  const { attributes } = span;
  const pattern = textAttribute(attributes, "http.route") ?? textAttribute(attributes, "url.template");
  if (pattern !== undefined) return routeName(pattern);
  // An interaction is sent as a segment of its own, named by what was clicked; the page is named beside it.
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

/** `/orders/4711` → `/orders/*`: numbers and ids are alike for all. */
function pathPattern(path: string): string {
  return path
    .split("/")
    .map((part) => (/^(?:\d+|[0-9a-f-]{8,})$/i.test(part) ? "*" : part))
    .join("/");
}
