import type { BrowserContext, Route } from "playwright-core";

/** A fault between browser and server while a link is clicked. */
export interface Fault {
  name: string;
  /**
   * `arrives`: the visitor must reach the page of the link. `waits`: the page must stay, explain why, and continue once
   * the fault is repaired.
   */
  must: "arrives" | "waits";
  break(context: BrowserContext): Promise<void>;
  repair?(context: BrowserContext): Promise<void>;
}

const data = /\/_data(\?|$)/;
const code = /\/_assets\/.*\.js$/;
const html = "text/html; charset=utf-8";

/**
 * Faults that happen in production, one by one. A deploy is two of them: different data, and code that no longer
 * exists.
 */
export const faults: readonly Fault[] = [
  { name: "page data never comes", must: "arrives", break: breaking(data, never) },
  {
    name: "page data is somebody else's error page",
    must: "arrives",
    break: breaking(data, (route) => route.fulfill({ status: 500, contentType: html, body: "<h1>Bad gateway</h1>" })),
  },
  { name: "page data is cut off", must: "arrives", break: breaking(data, (route) => route.abort("connectionreset")) },
  {
    name: "page data turns out to be a download",
    must: "arrives",
    break: breaking(data, (route) =>
      route.fulfill({ headers: { "content-disposition": "attachment; filename=x" }, body: "x" }),
    ),
  },
  { name: "page data comes from another build", must: "arrives", break: breaking(data, otherBuild) },
  {
    name: "the page's code is gone",
    must: "arrives",
    break: breaking(code, (route) => route.fulfill({ status: 404, contentType: html, body: "Not found" })),
  },
  {
    name: "the connection is lost",
    must: "waits",
    break: (context) => context.setOffline(true),
    repair: (context) => context.setOffline(false),
  },
];

function breaking(pattern: RegExp, how: (route: Route) => Promise<void>): Fault["break"] {
  return async (context) => {
    await context.route(pattern, how);
  };
}

function never(): Promise<void> {
  return new Promise(() => undefined);
}

async function otherBuild(route: Route): Promise<void> {
  const answer = await route.fetch();
  const text = await answer.text();
  await route.fulfill({ response: answer, body: text.replace(/"build":"[^"]*"/, '"build":"another"') });
}
