import { type AttributeMap, type ReportedSpan, textAttribute } from "#protocol";

/** Length of a statement that fits a row of the waterfall. */
const longestStatement = 400;

/**
 * Title of a span. Newer clients use few distinct names: `GET` for every request, `Pageload` for every page, a host for
 * every file. The attributes tell them apart.
 */
export function spanTitle({ name, op, attributes }: Pick<ReportedSpan, "name" | "op" | "attributes">): string {
  const method = textAttribute(attributes, "http.request.method") ?? textAttribute(attributes, "http.method");
  if (method !== undefined && isVague(name, method, attributes)) {
    const path = op === "http.client" ? hostAndPathIn(attributes) : pathIn(attributes);
    return path === undefined ? name : `${method} ${path}`;
  }
  if (op === "pageload" || op === "navigation") return name.includes("/") ? name : (pathIn(attributes) ?? name);
  if (op?.startsWith("resource.") === true && hostsIn(attributes).has(name)) return pathIn(attributes) ?? name;
  const statement = textAttribute(attributes, "db.query.text") ?? textAttribute(attributes, "db.statement");
  return statement !== undefined && /^\w*$/.test(name) ? statement.slice(0, longestStatement) : name;
}

/** Whether the name is only the method, or method and host. */
function isVague(name: string, method: string, attributes: AttributeMap): boolean {
  if (name === method || name === "HTTP") return true;
  const [first, rest] = name.split(" ", 2);
  return first === method && rest !== undefined && hostsIn(attributes).has(rest);
}

function hostsIn(attributes: AttributeMap): ReadonlySet<string | undefined> {
  return new Set(["server.address", "url.domain", "net.peer.name"].map((name) => textAttribute(attributes, name)));
}

/** Returns the URL pattern if the client knows it, else the path. Without the query, which differs each time. */
function pathIn(attributes: AttributeMap): string | undefined {
  return (
    textAttribute(attributes, "http.route") ??
    textAttribute(attributes, "url.template") ??
    textAttribute(attributes, "url.path") ??
    urlIn(attributes)?.pathname ??
    textAttribute(attributes, "http.target")?.split("?", 1)[0]
  );
}

function hostAndPathIn(attributes: AttributeMap): string | undefined {
  const pattern = textAttribute(attributes, "url.template");
  const url = urlIn(attributes);
  if (url === undefined) return pattern ?? pathIn(attributes);
  return url.host + (pattern ?? url.pathname);
}

function urlIn(attributes: AttributeMap): URL | undefined {
  const text = textAttribute(attributes, "url.full") ?? textAttribute(attributes, "http.url");
  return text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
}
