import * as pageErrors from "../../errors.ts";

/** What crawlers may read. Of two lines that fit a path, the longer one counts. */
export interface RobotsRule {
  /** Names of crawlers; all others by default (`*`). */
  agents?: readonly string[];
  allow?: readonly string[];
  disallow?: readonly string[];
}

export interface RobotsOptions {
  /** By default all crawlers may read everything. */
  rules?: readonly RobotsRule[];
  /** Paths of sitemaps: `["/sitemap.xml"]`. */
  sitemaps?: readonly string[];
}

/**
 * The `robots.txt` of the application, as `GET` of an API route (RFC 9309). It asks crawlers and keeps nobody out: for
 * that there are guards.
 *
 * @example export const GET = robots({ rules: [{ disallow: ["/cart"] }], sitemaps: ["/sitemap.xml"] });
 */
export function robots({ rules = [{}], sitemaps = [] }: RobotsOptions = {}): (request: Request) => Response {
  for (const value of [...rules.flatMap(valuesOf), ...sitemaps])
    if (/[\r\n]/.test(value)) throw pageErrors.wrongRobotsLine(value);
  const groups = rules.map(writeRule).join("\n");
  return ({ url }) => {
    const lines = sitemaps.map((path) => `Sitemap: ${new URL(path, url).href}\n`);
    const text = lines.length > 0 ? `${groups}\n${lines.join("")}` : groups;
    return new Response(text, { headers: { "content-type": "text/plain; charset=utf-8" } });
  };
}

function valuesOf({ agents = [], allow = [], disallow = [] }: RobotsRule): string[] {
  return [...agents, ...allow, ...disallow];
}

function writeRule({ agents = ["*"], allow = [], disallow = [] }: RobotsRule): string {
  const lines = [
    ...agents.map((agent) => `User-agent: ${agent}`),
    ...allow.map((path) => `Allow: ${path}`),
    ...disallow.map((path) => `Disallow: ${path}`),
    // A group without a line would be ignored by some readers.
    ...(allow.length + disallow.length === 0 ? ["Disallow:"] : []),
  ];
  return `${lines.join("\n")}\n`;
}
