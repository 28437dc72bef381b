import type { IncomingMessage, ServerResponse } from "node:http";
import type { Exchange } from "#http";
import { languages as addresses } from "#routes/href";
import type { ApplicationParts } from "../parts.ts";
import { Application } from "./application.ts";
import { checkNames } from "./author/invalidate.ts";
import { type LifecycleHooks, readLifecycle } from "./author/lifecycle.ts";
import { type NamedSchedule, readSchedules } from "./author/schedule.ts";
import { visitScope } from "./author/visit-scope.ts";
import { invalidations } from "./cache/invalidations.ts";
import { handleRequest } from "./handle-request.ts";
import { htmlAttributes } from "./html-attributes.ts";
import { createKeptRunner, type KeptRunner } from "./kept/run-kept.ts";
import { KnownAddresses } from "./known-addresses.ts";
import { SiteLanguages } from "./languages/site-languages.ts";
import { createLeaveFile, type LeaveFile } from "./leave-file.ts";
import { channelHub } from "./live/channel-hub.ts";
import type { Upgrade } from "./live/web-socket.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import { ownsAddress } from "./owns-address.ts";
import { documentSettings } from "./prerender/document-settings.ts";
import { createPrerenderer, type Prerenderer } from "./prerender/prerenderer.ts";
import { contractOf, type RouteContract } from "./route-contract.ts";
import { LargeAnswers } from "./send/large-answers.ts";
import { type SendBusy, sendBusy } from "./send/send-busy.ts";
import type { StaticLanguage } from "./send/static-pages.ts";
import type { HandlerOptions, Site } from "./site.ts";
import { VisitorCookies } from "./visitor/visitor-cookies.ts";

export type { PageBudget } from "#routes";
export type { Schema } from "../standard-schema.ts";
export { after } from "./author/after.ts";
export { channel, type LiveChannel, type SubscribeOptions } from "./author/channel.ts";
export type { CookieOptions, Cookies } from "./author/cookies.ts";
export {
  type Action,
  type ActionContext,
  action,
  type Guard,
  type HookRequest,
  invalid,
  type KeepingContext,
  type Keeps,
  type LeavingRequest,
  type Load,
  type LoadContext,
  type Locals,
  load,
  onRequest,
  type Recovered,
  type RequestContext,
  type RequestHook,
  sequence,
} from "./author/define.ts";
export { type Environment, environment, type VariableType } from "./author/environment.ts";
export { events } from "./author/events.ts";
export { invalidate } from "./author/invalidate.ts";
export type { LeavingResponse } from "./author/leaving-response.ts";
export type { LifecycleContext, LifecycleHook, LifecycleHooks } from "./author/lifecycle.ts";
export { forbidden, notFound, redirect, unauthorized } from "./author/outcome.ts";
export type { Prerender, PrerenderContext } from "./author/prerender.ts";
export type { ResponseHead } from "./author/response-head.ts";
export { type RobotsOptions, type RobotsRule, robots } from "./author/robots.ts";
export {
  type NamedSchedule,
  type Schedule,
  type ScheduleContext,
  type ScheduleOptions,
  schedule,
} from "./author/schedule.ts";
export { cookieSession, type Session, type SessionOptions } from "./author/session.ts";
export { type SitemapEntry, type SitemapLimits, type SitemapOptions, sitemap } from "./author/sitemap.ts";
export { onSocket, type Socket, type SocketContext } from "./author/socket.ts";
export type { ArrivingFile, UploadTarget } from "./author/uploads.ts";
export type { AfterContext, EventsContext, ServerEvent } from "./author/visit-scope.ts";
export type { CacheContext, Duration, PageCache } from "./cache/policy.ts";
export type { LeaveFile } from "./leave-file.ts";
export type { SecurityPolicy } from "./send/security-headers.ts";
export type { HandlerOptions } from "./site.ts";

/** Handles requests for the pages of one application. */
export interface PageHandler {
  build: string;
  /** Refuses a request because there is too much to do, in the language of its address. */
  busy?: SendBusy;
  /** The language for a page of the host; absent if the application has no languages. */
  languageFor?: ((incoming: IncomingMessage) => StaticLanguage) | undefined;
  /**
   * Whether the application answers an address: every one below its path, or only those of `routes`. For a server that
   * answers others itself.
   */
  owns(incoming: IncomingMessage, which: "path" | "routes"): MaybePromise<boolean>;
  handle(incoming: IncomingMessage, response: ServerResponse): void | Promise<void>;
  /**
   * Sends a page that the build or the cache has, to a request like an earlier one. Returns false for all others.
   * Absent in development and in older builds.
   */
  answerKnown?: ((exchange: Exchange) => boolean) | undefined;
  /** Lets the response hooks change the headers of a file. Absent if the application has no request hook. */
  leaveFile?: LeaveFile | undefined;
  /** Answers a request for another protocol. The response writes to its socket. */
  upgrade(upgrade: Upgrade, response: ServerResponse): void | Promise<void>;
  /** Loads every page file ahead of the first request. */
  warm(): Promise<void>;
  /** Removes cached pages, as `invalidate` does. Returns how many this process had. Absent in older builds. */
  invalidate?: ((names: readonly string[]) => MaybePromise<number>) | undefined;
  /** The tasks of `src/schedules.server.ts`. */
  schedules(): Promise<readonly NamedSchedule[]>;
  /** The hooks of `src/lifecycle.server.ts`. */
  lifecycle(): Promise<LifecycleHooks>;
  /** What two builds must have in common, so that one can answer a route for the other. Absent in older builds. */
  contractOf?: ((route: string) => Promise<RouteContract>) | undefined;
  /** Makes pages for the build. Absent in older builds. */
  prerenderer?: (() => Prerenderer) | undefined;
  /** Operations on what actions with `keeps` have kept. Builds of older versions have none. */
  kept?: KeptRunner | undefined;
}

/** Called by the generated server entry with the build's result. */
export function createPageHandler(parts: ApplicationParts, options: HandlerOptions): PageHandler {
  const application = new Application(parts, options.limits, options.rules);
  const html = htmlAttributes(options.lang);
  const languages = parts.languages && new SiteLanguages(parts.languages, application);
  const busy: SendBusy = (exchange, more) =>
    sendBusy(exchange, more, languages?.staticIn(exchange.incoming, options.originOf(exchange.incoming)));
  const large = new LargeAnswers(options.limits, options.uploadFolder, options.posts.refusals, busy);
  addresses?.readPresentBy(() => visitScope.getStore()?.present);
  const redirectOrigins = [...options.redirectOrigins, ...(languages?.origins ?? [])];
  const visitors = new VisitorCookies();
  const known = options.development ? undefined : new KnownAddresses(options.originOf, options.watch);
  const site: Site = { ...options, application, large, html, languages, busy, redirectOrigins, visitors, known };
  if (site.prerendered && site.prerendered.settings !== documentSettings(site)) {
    options.warn?.(otherSettings);
    site.prerendered = undefined;
  }
  const failed = (thrown: unknown): void =>
    void options.signals.errorCaught(thrown, { side: "server", during: "channel" });
  channelHub.connect({ relay: options.relay, limits: options.limits, failed });
  invalidations.connect({ mayCache: () => application.mayCache, warn: options.warn });
  options.signals.routesKnown(application.patterns.map(({ id }) => id));
  return {
    build: parts.build,
    busy,
    languageFor: languages && ((incoming) => languages.forVisitor(incoming, options.originOf(incoming))),
    owns: (incoming, which) => ownsAddress(incoming, site.application, which),
    handle: (incoming, response) => handleRequest(incoming, response, site),
    answerKnown: known && ((exchange) => known.answer(exchange)),
    leaveFile: createLeaveFile(site),
    upgrade: (upgrade, response) => handleRequest(upgrade.incoming, response, site, upgrade),
    warm: () => site.application.warm(),
    invalidate: (names) => {
      checkNames(names);
      return invalidations.invalidate(names);
    },
    schedules: async () => readSchedules((await parts.schedules?.()) ?? {}),
    lifecycle: async () => readLifecycle((await parts.lifecycle?.()) ?? {}),
    contractOf: (route) => contractOf(application, route),
    prerenderer: () => createPrerenderer(site),
    kept: options.kept && createKeptRunner(site, options.kept),
  };
}

const otherSettings =
  "The pages that the build has made are rendered for each request: they were made with other settings of `report`, " +
  "`lang`, `visitorAnswers` or NODE_ENV. Build with the settings that the server has.";
