// biome-ignore-all assist/source/organizeImports: one block per group, each with its own comment.
/**
 * `holdfast/server`: for server files (`*.server.ts`) and `src/server`. Never reaches the browser.
 * @module
 */

/** Loads: the data of a page or layout, the limits of a page (`export const budget`) and its cache (`cache`). */
export { type Load, type LoadContext, load, type PageBudget, type PageCache } from "#pages/server";

/** Actions, which a form or fetcher calls. A schema checks the fields; `invalid` returns messages for them. */
export { type Action, type ActionContext, action, invalid, type Schema } from "#pages/server";

/** Files that an action stores in the application's own place as they arrive. */
export type { ArrivingFile, UploadTarget } from "#pages/server";

/** Guards and request hooks run before loads and actions. `Locals` carries values from them to the page. */
export { type Guard, type HookRequest, type Locals, onRequest, type RequestContext, sequence } from "#pages/server";

/** The response that leaves, and its request: the arguments of `onResponse` of a request hook. */
export type { LeavingRequest, LeavingResponse } from "#pages/server";

/** Responses in place of a page. Each of them ends the load, action or guard that calls it. */
export { forbidden, notFound, redirect, unauthorized } from "#pages/server";

/** Status and headers of a response, as guards, loads and actions change them. */
export type { ResponseHead } from "#pages/server";

/** Cookies, and sessions in a signed cookie. */
export { type CookieOptions, type Cookies, cookieSession, type Session, type SessionOptions } from "#pages/server";

/** Says what an action has changed, so that the rest is not loaded again. */
export { invalidate } from "#pages/server";

/** Work that runs when the response has been sent. */
export { type AfterContext, after } from "#pages/server";

/** Server-sent events: the response of an API route that stays open. */
export { type EventsContext, events, type ServerEvent } from "#pages/server";

/** `sitemap.xml` and `robots.txt`, as `GET` of an API route. */
export {
  type RobotsOptions,
  type RobotsRule,
  robots,
  type SitemapEntry,
  type SitemapLimits,
  type SitemapOptions,
  sitemap,
} from "#pages/server";

/** WebSockets: the `socket` export of an API route. */
export { onSocket, type Socket, type SocketContext } from "#pages/server";

/** Messages that reach every process of the application. */
export { channel, type LiveChannel, type SubscribeOptions } from "#pages/server";

/** Tasks that run by themselves: the exports of `src/schedules.server.ts`. */
export { type Schedule, type ScheduleContext, type ScheduleOptions, schedule } from "#pages/server";

/** Pages that the build makes: the type of `export const prerender`. */
export type { Prerender, PrerenderContext } from "#pages/server";

/** What a process does before its first and after its last request: the exports of `src/lifecycle.server.ts`. */
export type { LifecycleContext, LifecycleHook } from "#pages/server";

/** The variables that the server needs, checked before it starts. */
export { type Environment, environment, type VariableType } from "#pages/server";

/** The shape of `holdfast.config.ts`: `export default { lang: "de" } satisfies HoldfastConfig`. */
export type { HoldfastConfig } from "#host/settings";

/** Texts that the framework shows to visitors, in one language. */
export type { Texts } from "#pages";
