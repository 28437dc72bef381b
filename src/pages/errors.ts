import { HoldfastError } from "#errors";

/**
 * Every error this part can raise. Codes are permanent. Used as `pageErrors.…` through `import * as pageErrors`: one
 * object with all of them would reach the browser as a whole, messages for the server included.
 */
export const dataNotSendable = (path: string, what: string, whatToDo: string): HoldfastError =>
  new HoldfastError("data-not-sendable", `The data of this page has ${what} at ${path}.`, whatToDo);

export const dataTooDeep = (path: string, depth: number): HoldfastError =>
  new HoldfastError(
    "data-too-deep",
    `The data of this page is nested more than ${depth} levels deep at ${path}.`,
    "Return a flatter shape from load, or the part that the page shows.",
  );

export const dataTooLarge = (bytes: number, most: number): HoldfastError =>
  new HoldfastError(
    "data-too-large",
    `The data of this page is ${bytes} characters long; at most ${most} are sent.`,
    "Return less from load, or page through it.",
  );

export const dataUnreadable = (what: string): HoldfastError =>
  new HoldfastError("data-unreadable", `The page data could not be read: ${what}.`, "Load the page again.");

export const notInBrowser = (what: string): HoldfastError =>
  new HoldfastError(
    "not-in-browser",
    `${what} was called where no page is alive.`,
    "Call it in an event handler or effect; on the server use redirect.",
  );

export const severalPages = (caller: string, count: number): HoldfastError =>
  new HoldfastError(
    "several-pages",
    `${caller} was called while ${count} pages of renderPage are shown, and belongs to none of them.`,
    "Close or unmount the other pages first. Links, forms and fetchers know their page.",
  );

export const noActionStub = (action: string, id: string): HoldfastError =>
  new HoldfastError(
    "no-action-stub",
    `The page ${id} has called its action ${action}, for which renderPage got no function.`,
    `Add it: renderPage("${id}", …, { actions: { ${action}: () => ({ kind: "done" }) } }).`,
  );

export const noLoadStub = (href: string): HoldfastError =>
  new HoldfastError(
    "no-load-stub",
    `A page of renderPage has loaded the data of ${href}, for which it got no function.`,
    'Add it by the id of that page: renderPage(…, …, { loads: { "/orders/[id]": () => ({ kind: "loaded", data }) } }).',
  );

export const wrongInterval = (every: number, least: number, most: number): HoldfastError =>
  new HoldfastError(
    "wrong-interval",
    `useRevalidate was called with every: ${every}.`,
    `Write milliseconds from ${least} to ${most}. For what changes faster, send events from an API route.`,
  );

export const noPageInDocument = (): HoldfastError =>
  new HoldfastError(
    "no-page-in-document",
    "The document holds no page data that this build can read.",
    "Let nothing on its way change it.",
  );

export const loadTimedOut = (route: string, ms: number): HoldfastError =>
  new HoldfastError(
    "load-timed-out",
    `Loading the data of ${route} took longer than ${ms} ms.`,
    "Pass the signal to what load waits for, and return slow parts as promises so that they are streamed. `timeout` of the route's server half sets the time, `limits.loadSeconds` of holdfast.config.ts that of all.",
  );

export const hookTimedOut = (hook: "request" | "response", path: string, ms: number): HoldfastError =>
  new HoldfastError(
    "hook-timed-out",
    `The ${hook} hook took longer than ${ms} ms for ${path}.`,
    "Pass `request.signal` to what it waits for. `limits.loadSeconds` of holdfast.config.ts sets the time.",
  );

export const guardTimedOut = (guard: string, ms: number): HoldfastError =>
  new HoldfastError(
    "guard-timed-out",
    `The guard of ${guard} took longer than ${ms} ms.`,
    "Pass the signal to what it waits for. `limits.loadSeconds` of holdfast.config.ts sets the time.",
  );

export const actionTimedOut = (action: string, route: string, ms: number): HoldfastError =>
  new HoldfastError(
    "action-timed-out",
    `The action ${action} of ${route} took longer than ${ms} ms.`,
    "Pass the signal to what the action waits for, and let a queue do what takes longer. `timeout` of the action sets the time, `submissions.actionSeconds` of holdfast.config.ts that of all.",
  );

export const afterOutsideRequest = (): HoldfastError =>
  new HoldfastError(
    "after-outside-request",
    "after was called where no request is being handled.",
    "Call it in the request hook, a guard, load, action or API route, before or after an await, or run the work directly.",
  );

export const afterTimedOut = (route: string, ms: number): HoldfastError =>
  new HoldfastError(
    "after-timed-out",
    `The work after a response of ${route} took longer than ${ms} ms.`,
    "Pass the signal to what it waits for, and let a queue do what takes longer. `limits.afterSeconds` of holdfast.config.ts sets the time.",
  );

export const afterInterrupted = (route: string): HoldfastError =>
  new HoldfastError(
    "after-interrupted",
    `The server had to end during the work after a response of ${route}.`,
    "Check whether it was done. Let a queue do what takes long or must not be lost.",
  );

export const afterLeftOut = (route: string, atMost: number): HoldfastError =>
  new HoldfastError(
    "after-left-out",
    `The work after a response of ${route} was left out: ${atMost} others are running.`,
    "See why they take so long, or set `limits.afterAtOnce` of holdfast.config.ts.",
  );

export const invalidateOutsideRequest = (): HoldfastError =>
  new HoldfastError(
    "invalidate-outside-request",
    "invalidate was called where no application runs.",
    "Call it in an action, an API route, a schedule or other code that the server runs, not while it is loaded.",
  );

export const wrongTag = (tag: unknown, length: number): HoldfastError =>
  new HoldfastError(
    "wrong-tag",
    `${JSON.stringify(tag)} is no tag.`,
    `Use a text of 1 to ${length} characters. Only paths begin with a slash, and only invalidate takes them.`,
  );

export const tooManyTags = (count: number, most: number): HoldfastError =>
  new HoldfastError(
    "too-many-tags",
    `A load has ${count} tags; at most ${most} are possible.`,
    "Give a list of records one tag, not one for each of them.",
  );

export const sitemapOutsideRequest = (): HoldfastError =>
  new HoldfastError(
    "sitemap-outside-request",
    "A sitemap was asked for where no request is being handled.",
    "Export what sitemap returns as GET of an API route: src/pages/sitemap.xml.server.ts.",
  );

export const wrongSitemapLimit = (name: string, value: number, most: number): HoldfastError =>
  new HoldfastError(
    "wrong-sitemap-limit",
    `limits.${name} of a sitemap is ${value}, which is no whole number from 1 to ${most}.`,
    "Search engines refuse larger files: choose a smaller number, or leave it out.",
  );

export const wrongSitemapPath = (path: string): HoldfastError =>
  new HoldfastError(
    "wrong-sitemap-path",
    `An entry of the sitemap is ${JSON.stringify(path)}, which is no path of the application.`,
    "Give the path of a page, as href writes it. Its origin is added.",
  );

export const wrongSitemapTime = (path: string, time: string): HoldfastError =>
  new HoldfastError(
    "wrong-sitemap-time",
    `lastModified of the entry ${JSON.stringify(path)} of the sitemap is ${JSON.stringify(time)}, which is no time.`,
    'Give a Date, or a text such as "2026-11-18".',
  );

export const wrongRobotsLine = (value: string): HoldfastError =>
  new HoldfastError(
    "wrong-robots-line",
    `A value for robots.txt has a line break in it: ${JSON.stringify(value)}.`,
    "Give each path and each name as a text of its own.",
  );

export const eventsOutsideRequest = (): HoldfastError =>
  new HoldfastError(
    "events-outside-request",
    "events was called where no request is being handled.",
    "Call it in a method of an API route and return what it returns.",
  );

export const wrongEventField = (field: string, value: string): HoldfastError =>
  new HoldfastError(
    "wrong-event-field",
    `An event has the ${field} ${JSON.stringify(value)}, which cannot be sent.`,
    "Use a text of one line.",
  );

export const messageTooLarge = (what: string, bytes: number, most: number): HoldfastError =>
  new HoldfastError(
    "message-too-large",
    `${what} has ${bytes} bytes; at most ${most} are sent.`,
    "Send an id and let the page load the rest, or set `limits.messageBytes` of holdfast.config.ts.",
  );

export const messagesMissed = (channel: string): HoldfastError =>
  new HoldfastError(
    "messages-missed",
    `A subscriber of the channel ${channel} has missed messages.`,
    "Read what has changed from the database and subscribe again. events and onSocket end by it, and their clients come back.",
  );

export const actionInterrupted = (action: string, route: string): HoldfastError =>
  new HoldfastError(
    "action-interrupted",
    `The server had to end while the action ${action} of ${route} was running.`,
    "Check whether it was done. Let the supervisor wait longer before it kills the server, or let a queue do what takes long.",
  );

export const actionDied = (action: string, route: string): HoldfastError =>
  new HoldfastError(
    "action-died",
    `The process ended while the action ${action} of ${route} was running. What was sent is kept.`,
    "Check whether it was done. If not, run it again with `holdfast kept run`; if it was, `holdfast kept forget`.",
  );

export const actionGone = (action: string, path: string): HoldfastError =>
  new HoldfastError(
    "action-gone",
    `A visitor came back with a form for the action ${action} of ${path}, which this build does not have.`,
    "Keep an action with `keeps` for a week after the last build with its form, so that visitors can send what they have.",
  );

export const keptFull = (action: string, route: string): HoldfastError =>
  new HoldfastError(
    "kept-full",
    `The action ${action} of ${route} keeps what is sent, and there is no room for more. It was refused.`,
    "Run or forget what is kept: `holdfast kept list` shows it. `limits.keptSubmissions` and `limits.keptBytes` of holdfast.config.ts set the room.",
  );

export const keepingFailed = (action: string, route: string, why: string): HoldfastError =>
  new HoldfastError(
    "cannot-keep",
    `The action ${action} of ${route} keeps what is sent, and that failed, so it was refused: ${why}`,
    "Make room on the disk, and the data folder writable.",
  );

export const shellTimedOut = (route: string, ms: number): HoldfastError =>
  new HoldfastError(
    "shell-timed-out",
    `Rendering ${route} had no first part after ${ms} ms.`,
    "Put what suspends inside <Suspense> or give its folder a _loading file.",
  );

export const notAComponent = (file: string, got: string): HoldfastError =>
  new HoldfastError(
    "no-default-component",
    `${file} has no component as its default export (it is ${got}).`,
    "Write `export default function …` in it.",
  );

export const noPageBeside = (file: string, page: string): HoldfastError =>
  new HoldfastError(
    "no-page-beside",
    `${file} has what belongs to a page, data or actions, and there is no page beside it.`,
    `Write the page, ${page}, or export a function such as GET or POST to make it an API route.`,
  );

export const otherPage = (caller: string, id: string, shown: string | null): HoldfastError =>
  new HoldfastError(
    "other-page",
    `${caller}("${id}") was called while ${shown ?? "no page"} is shown.`,
    `Call it in components of ${id} only.`,
  );

export const historyStateNotJson = (key: string): HoldfastError =>
  new HoldfastError(
    "history-state-not-json",
    `The value of useHistoryState("${key}") is not JSON.`,
    "Set strings, numbers, booleans, null, lists and plain objects.",
  );

export const historyStateTooLarge = (key: string, chars: number, most: number): HoldfastError =>
  new HoldfastError(
    "history-state-too-large",
    `With the value of useHistoryState("${key}") the history entry has ${chars} characters; at most ${most} are kept.`,
    "Set less: which tab or which filter. What the visitor typed belongs into a form, whose drafts are kept.",
  );

export const wrongServerExport = (file: string, name: string, got: string, expected: string): HoldfastError =>
  new HoldfastError("wrong-server-export", `${file} exports ${name} as ${got}.`, `Make it ${expected}.`);

export const noActionsFile = (): HoldfastError =>
  new HoldfastError(
    "no-actions-file",
    "useActions got an object that is not the export `actions` of a file *.actions.server.ts.",
    "Import it from such a file, in a component that the application's build compiles.",
  );

export const apiTimedOut = (method: string, route: string, ms: number): HoldfastError =>
  new HoldfastError(
    "api-timed-out",
    `${method} of ${route} had no response after ${ms} ms.`,
    "Pass the signal to what it waits for, or raise `timeout` of the route.",
  );

export const wrongLimit = (file: string, problems: readonly string[]): HoldfastError =>
  new HoldfastError(
    "wrong-limit",
    `${file} sets a limit that cannot hold. ${sentences(problems)}`,
    "Change it there, or in `limits` of holdfast.config.ts.",
  );

export const storeTimedOut = (ms: number): HoldfastError =>
  new HoldfastError(
    "store-timed-out",
    `Storing a file made no progress for ${ms} ms.`,
    "Pass the signal to what `write` waits for. `timeout` of the action sets the time.",
  );

export const storedFileUnnamed = (got: string): HoldfastError =>
  new HoldfastError(
    "stored-file-unnamed",
    `The function that stores a file returned ${got} instead of a text.`,
    "Return the text by which the action finds the file, and `discard` removes it.",
  );

export const loadForOtherRoute = (file: string, stated: string, is: string): HoldfastError =>
  new HoldfastError(
    "load-for-other-route",
    `The load in ${file} says it is for ${stated}, but that file answers ${is}.`,
    `Write load("${is}", …).`,
  );

export const unknownParameter = (route: string, name: string): HoldfastError =>
  new HoldfastError(
    "unknown-parameter",
    `The params schema of ${route} wants "${name}", which the route does not have.`,
    "Use the names in the file's own path.",
  );

export const unsafeRedirect = (to: string): HoldfastError =>
  new HoldfastError(
    "unsafe-redirect",
    `A redirect to ${JSON.stringify(to)} was refused.`,
    "Redirect to a path of this application that begins with one slash, or name the other origin in `redirectOrigins` of holdfast.config.ts.",
  );

export const wrongEnvironment = (problems: readonly string[]): HoldfastError =>
  new HoldfastError(
    "wrong-environment",
    `The environment is not what src/env.server.ts asks for. ${sentences(problems)}`,
    "Set it where the server is started, or in a file named .env in the application's folder.",
  );

/** The generated catalogue of errors passes names of values instead of values. */
function sentences(problems: readonly string[]): string {
  return Array.isArray(problems) ? problems.map((problem) => `${problem}.`).join(" ") : String(problems);
}

export const cookieTooLate = (name: string): HoldfastError =>
  new HoldfastError(
    "cookie-too-late",
    `The cookie ${name} was set while data was loading, when the head of the answer may be on its way.`,
    "Set cookies in the request hook, in a guard or in an action.",
  );

export const responseTooLate = (what: string): HoldfastError =>
  new HoldfastError(
    "response-too-late",
    `${what} was set after the page had loaded, when the head of the answer may be on its way.`,
    "Set it in the request hook, in a guard, in a load before it returns, or in an action.",
  );

export const ownedHeader = (name: string, instead: string): HoldfastError =>
  new HoldfastError("header-of-framework", `The header ${name} is one that the framework writes itself.`, instead);

export const headerOfDocument = (name: string): HoldfastError =>
  new HoldfastError(
    "header-of-document",
    `The header ${name} was changed in onResponse. Browsers keep it for all pages that are shown in the document.`,
    "Set it by `response.setHeader` in the request hook or a guard, or by `headers` of holdfast.config.ts.",
  );

export const notReplaceable = (kind: string): HoldfastError =>
  new HoldfastError(
    "response-not-replaceable",
    `onResponse returned a Response in place of a ${kind}.`,
    "Return one only if `response.original` is there. To end a request early, return it from the request hook itself.",
  );

export const bodyReadByHook = (): HoldfastError =>
  new HoldfastError(
    "body-read-by-hook",
    "onResponse read the body of `response.original` and returned no other Response.",
    "Read a copy, `response.original.clone()`, or return a new Response.",
  );

export const endedTooLate = (): HoldfastError =>
  new HoldfastError(
    "ended-too-late",
    "onResponse ended the request by redirect, notFound, unauthorized or forbidden, when the response was decided.",
    "Call it in the request hook itself, or in a guard.",
  );

export const wrongHeader = (name: string, part: "name" | "value"): HoldfastError =>
  new HoldfastError(
    "wrong-response-header",
    `The header ${JSON.stringify(name)} has a ${part} that cannot be sent.`,
    "Write names as in `X-Robots-Tag`, and values in ASCII characters on one line that neither begin nor end with a space.",
  );

export const wrongStatus = (status: number): HoldfastError =>
  new HoldfastError(
    "wrong-response-status",
    `No page can have the status ${status}.`,
    "Set a number from 200 to 299 or from 400 to 599, but not 204, 205 or 206. Use `redirect` for those between.",
  );

export const wrongLanguage = (lang: string): HoldfastError =>
  new HoldfastError(
    "wrong-language",
    `${JSON.stringify(lang)} is no language.`,
    "Write a language tag such as `en`, `pt-BR` or `zh-Hant`.",
  );

export const cookieTooLarge = (name: string, bytes: number): HoldfastError =>
  new HoldfastError(
    "cookie-too-large",
    `The cookie ${name} would have ${bytes} bytes; browsers keep at most 4096.`,
    "Keep an id in it and the rest on the server.",
  );

export const resultTooLarge = (action: string, route: string, bytes: number, most: number): HoldfastError =>
  new HoldfastError(
    "result-too-large",
    `What the action ${action} of ${route} returned has ${bytes} bytes; at most ${most} reach a visitor without JavaScript, who was shown the page without it.`,
    "Return a short confirmation and let load return the rest. An action that changes nothing may say so by `changesNothing: true`; its answer may have any size.",
  );

export const secretTooShort = (length: number): HoldfastError =>
  new HoldfastError(
    "session-secret-too-short",
    `The session secret has ${length} characters; it needs at least 32.`,
    "Make one with `openssl rand -base64 32` and give it by an environment variable.",
  );

export const readsRequest = (what: string, page: string): HoldfastError =>
  new HoldfastError(
    "prerender-reads-request",
    `The page ${page} is made by the build, and reads ${what}, which only a request has.`,
    "Read it in another page or in the browser, or remove `prerender` from the page.",
  );

export const readsOrigin = (what: string, page: string): HoldfastError =>
  new HoldfastError(
    "prerender-reads-origin",
    `The page ${page} is made by the build, and reads ${what}, which is not known before it is served.`,
    "Set `origin` in holdfast.config. A load may read url.pathname without it.",
  );
