import { addressIn } from "#routes";
import type { Site } from "../site.ts";
import { type PlannedPage, type PrerenderPlan, planPages } from "./plan-pages.ts";

/** Stands for every address without a page. */
const unknownPath = "/\u2026";

/** All pages of an application that becomes a folder of files, and everything in it that needs a server. */
export async function planSite(site: Site, origin: string | undefined): Promise<PrerenderPlan> {
  const { pages, problems } = await planPages(site, origin);
  return { pages: [...pages, ...notFoundPages(site, origin)], problems: [...problems, ...(await needsServer(site))] };
}

async function needsServer({ application, languages }: Site): Promise<string[]> {
  const { table, request, schedules, actionFiles = {} } = application.parts;
  const problems: string[] = [];
  for (const { id, kind, server, page } of table.routes) {
    const file = server ?? page ?? id;
    const route = await application.byId(id);
    if (kind === "api") problems.push(`${file}: it is an API route.`);
    else if (!route?.prerender) problems.push(`${file}: the page does not declare \`prerender\`.`);
    if (kind === "page" && route && route.actions.size > 0)
      problems.push(`${file}: the page has actions, its own or of a layout: ${[...route.actions.keys()].join(", ")}.`);
  }
  for (const start of Object.keys(actionFiles)) problems.push(`src/${start.slice(0, -1)}.server: it has actions.`);
  if (request) problems.push("src/request.server.ts: it runs for each request.");
  if (schedules) problems.push("src/schedules.server.ts: its tasks need a process that runs.");
  if (languages?.table.prefixDefault) problems.push("languages.prefixDefault: the address / would have no page.");
  if (languages?.table.list.some(({ domain }) => domain))
    problems.push("languages with domains: a folder has one host.");
  return problems;
}

/** One for each language: hosts take the nearest. */
function notFoundPages({ application, languages, lang: usual }: Site, origin = ""): PlannedPage[] {
  const { at } = application.parts.table;
  return (languages?.table.list.map(({ lang }) => lang) ?? [undefined]).map((lang) => {
    const path = at + unknownPath;
    const address = languages ? addressIn(languages.table, at, path, { lang: lang ?? usual, origin }) : path;
    return { route: "404.html", params: {}, lang, path, address, origin, isNotFound: true };
  });
}
