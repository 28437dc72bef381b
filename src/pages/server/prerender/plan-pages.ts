import { addressIn, isTranslated, type PathSegment, spellAddress, writeParameter, writePathSegment } from "#routes";
import type { LoadedRoute } from "../load-route.ts";
import type { Site } from "../site.ts";

/** A page that the build makes. */
export interface PlannedPage {
  /** The id of its route. */
  route: string;
  params: Readonly<Record<string, string>>;
  lang: string | undefined;
  /** Its path without the language. */
  path: string;
  /** Its path as visitors see it. */
  address: string;
  /** Empty if it is not known. */
  origin: string;
  /** The page for all addresses that have none. */
  isNotFound?: boolean;
}

/** All pages to make, and everything that is wrong with their declarations. */
export interface PrerenderPlan {
  pages: PlannedPage[];
  problems: string[];
}

/** Lists the pages of all routes that declare `prerender`, by the application's own functions where it has some. */
export async function planPages(site: Site, origin: string | undefined): Promise<PrerenderPlan> {
  const plan: PrerenderPlan = { pages: [], problems: [] };
  for (const entry of site.application.parts.table.routes) {
    if (entry.kind !== "page") continue;
    const route = await site.application.byId(entry.id);
    if (!route?.prerender) continue;
    const file = entry.server ?? entry.id;
    const problems = problemsOf(site, route).map((problem) => `${file}: ${problem}`);
    plan.problems.push(...problems);
    if (problems.length === 0) await planRoute(site, route, { file, plan, origin });
  }
  return plan;
}

/** What every visitor must not share. */
function problemsOf(site: Site, { guards, loads, folders, search }: LoadedRoute): string[] {
  const { table } = site.application.parts;
  const placeOf = (index: number): string => {
    const folder = table.folders[folders[index] ?? -1];
    return folder ? `its layout ${folder.server ?? folder.id}` : "it";
  };
  return [
    ...guards.flatMap((guard, index) =>
      guard ? [`${placeOf(index)} has a guard, which decides about each request.`] : [],
    ),
    ...loads.flatMap((load, index) =>
      load?.search && load.search !== search ? [`the load of ${placeOf(index)} reads the search.`] : [],
    ),
    ...(search ? ["it exports `search`, and a search comes with a request."] : []),
  ];
}

interface RoutePlan {
  /** Of its server half. */
  file: string;
  plan: PrerenderPlan;
  origin: string | undefined;
}

async function planRoute(site: Site, route: LoadedRoute, { file, plan, origin }: RoutePlan): Promise<void> {
  const { languages } = site;
  const known = new Set<string>();
  for (const lang of languages?.table.list.map((one) => one.lang) ?? [undefined])
    for (const params of await listParams(route, lang ?? site.lang)) {
      const found = planPage(site, route, { params, lang, origin });
      if (found.kind === "problem") plan.problems.push(`${file}: ${found.problem}`);
      else if (found.kind === "page" && !known.has(found.page.address)) {
        known.add(found.page.address);
        plan.pages.push(found.page);
      }
    }
}

async function listParams({ prerender }: LoadedRoute, lang: string): Promise<unknown[]> {
  const { params = [{}] } = prerender ?? {};
  const listed: unknown = typeof params === "function" ? await params({ lang }) : params;
  const all: unknown[] = [];
  for await (const one of listed as AsyncIterable<unknown>) all.push(one);
  return all;
}

type Planned = { kind: "page"; page: PlannedPage } | { kind: "problem"; problem: string } | { kind: "untranslated" };

interface AskedPage {
  params: unknown;
  lang: string | undefined;
  /** Of the configuration. */
  origin: string | undefined;
}

function planPage(site: Site, route: LoadedRoute, asked: AskedPage): Planned {
  const { trailingSlash, table: routes } = site.application.parts;
  const { at } = routes;
  const { lang } = asked;
  const spell = (address: string): string => (trailingSlash ? spellAddress(address) : address);
  const problem = (text: string): Planned => ({ kind: "problem", problem: text });
  const texts = textsOf(asked.params);
  if (!texts) return problem(`prerender lists ${JSON.stringify(asked.params)}, which is no object of parameters.`);
  const missing = route.segments.filter(isNeeded).find(({ name }) => !texts[name]);
  if (missing) return problem(`prerender must list the parameter ${missing.name} of each page of ${route.id}.`);
  const path = pathOf(at, route.segments, texts);
  const { match } = site.application.match(path);
  if (match.kind !== "found" || match.index !== route.index || !isSame(match.params, texts))
    return problem(
      `prerender lists ${JSON.stringify(asked.params)}, and no address of ${route.id} has these parameters.`,
    );
  const page = { route: route.id ?? "", params: match.params, path, lang };
  const origin = originFor(site, lang) ?? asked.origin ?? "";
  if (lang === undefined || !site.languages) return { kind: "page", page: { ...page, address: spell(path), origin } };
  const { table } = site.languages;
  const entry = table.list.find((one) => one.lang === lang);
  if (!entry || !isTranslated(entry, at, path)) return { kind: "untranslated" };
  return { kind: "page", page: { ...page, address: spell(addressIn(table, at, path, { lang, origin })), origin } };
}

/** A language with a domain has its own. */
function originFor({ languages }: Site, lang: string | undefined): string | undefined {
  const domain = languages?.table.list.find((one) => one.lang === lang)?.domain;
  return domain && `https://${domain}`;
}

function textsOf(params: unknown): Record<string, string> | undefined {
  if (typeof params !== "object" || params === null) return undefined;
  const given = Object.entries(params).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

type NamedSegment = Exclude<PathSegment, { kind: "static" }>;

function isNeeded(segment: PathSegment): segment is NamedSegment {
  return segment.kind === "param" || segment.kind === "rest";
}

function pathOf(at: string, segments: readonly PathSegment[], params: Readonly<Record<string, string>>): string {
  const pieces = segments.flatMap((one) => {
    if (one.kind === "static") return [writePathSegment(one.text)];
    const value = params[one.name];
    if (value === undefined) return [];
    return [one.kind === "rest" ? value.split("/").map(writeParameter).join("/") : writeParameter(value)];
  });
  return at + (pieces.length > 0 || at === "" ? `/${pieces.join("/")}` : "");
}

function isSame(found: Readonly<Record<string, string>>, asked: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(asked);
  return names.length === Object.keys(found).length && names.every((name) => found[name] === asked[name]);
}
