import { type AttributeMap, type ReportedSpan, textAttribute } from "#protocol";

/** As much as a line of a waterfall shows of a statement. */
const longestStatement = 400;

/**
 * What a span is called. Newer clients name spans so that few names exist: `GET` for every request, `Pageload` for
 * every page, a host for every file. What tells them apart is in their attributes.
 */
export function spanTitle({ name, op, attributes }: Pick<ReportedSpan, "name" | "op" | "attributes">): string {
  const method = textAttribute(attributes, "http.request.method") ?? textAttribute(attributes, "http.method");
  if (method !== undefined && isVague(name, method, attributes)) {
    const place = op === "http.client" ? placeElsewhere(attributes) : placeHere(attributes);
    return place === undefined ? name : `${method} ${place}`;
  }
  if (op === "pageload" || op === "navigation") return name.includes("/") ? name : (placeHere(attributes) ?? name);
  if (op?.startsWith("resource.") === true && hostsIn(attributes).has(name)) return placeHere(attributes) ?? name;
  const statement = textAttribute(attributes, "db.query.text") ?? textAttribute(attributes, "db.statement");
  return statement !== undefined && /^\w*$/.test(name) ? statement.slice(0, longestStatement) : name;
}

/** The method alone, or with nothing but the host. */
function isVague(name: string, method: string, attributes: AttributeMap): boolean {
  if (name === method || name === "HTTP") return true;
  const [first, rest] = name.split(" ", 2);
  return first === method && rest !== undefined && hostsIn(attributes).has(rest);
}

function hostsIn(attributes: AttributeMap): ReadonlySet<string | undefined> {
  return new Set(["server.address", "url.domain", "net.peer.name"].map((name) => textAttribute(attributes, name)));
}

/**
 * The pattern of the address where a client knows it, else its path. Without search, which is another one each time.
 */
function placeHere(attributes: AttributeMap): string | undefined {
  return (
    textAttribute(attributes, "http.route") ??
    textAttribute(attributes, "url.template") ??
    textAttribute(attributes, "url.path") ??
    urlIn(attributes)?.pathname ??
    textAttribute(attributes, "http.target")?.split("?", 1)[0]
  );
}

function placeElsewhere(attributes: AttributeMap): string | undefined {
  const pattern = textAttribute(attributes, "url.template");
  const url = urlIn(attributes);
  if (url === undefined) return pattern ?? placeHere(attributes);
  return url.host + (pattern ?? url.pathname);
}

function urlIn(attributes: AttributeMap): URL | undefined {
  const text = textAttribute(attributes, "url.full") ?? textAttribute(attributes, "http.url");
  return text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
}
