import { type Attributes, textAttribute } from "#protocol";

/** `GET /orders/[id]` and `/orders/[id]` are one route: its page, its data and its documents belong together. */
export function routeName(name: string): string {
  return name.replace(/^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (?=\/)/, "");
}

/** The route of a span: the pattern where a client tells it, else the name of the segment it belongs to. */
export function routeOfSpan(span: { name: string; isSegment: boolean; attributes: Attributes }): string {
  const pattern = textAttribute(span.attributes, "http.route") ?? textAttribute(span.attributes, "url.template");
  const segment = textAttribute(span.attributes, "sentry.segment.name");
  return routeName(pattern ?? (span.isSegment ? undefined : segment) ?? span.name);
}
