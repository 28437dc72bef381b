import type { IncomingMessage, ServerResponse } from "node:http";
import type { ApplicationParts } from "../parts.ts";
import { Application } from "./application.ts";
import { type NamedSchedule, readSchedules } from "./author/schedule.ts";
import { handleRequest } from "./handle-request.ts";
import { LargeAnswers } from "./send/large-answers.ts";
import type { HandlerOptions } from "./site.ts";
import { VisitorCookies } from "./visitor/visitor-cookies.ts";

export type { PageBudget } from "#routes";
export type { CookieOptions, Cookies } from "./author/cookies.ts";
export {
  type Action,
  type ActionContext,
  action,
  type Guard,
  invalid,
  type Load,
  type LoadContext,
  type Locals,
  load,
  onRequest,
  type RequestContext,
} from "./author/define.ts";
export { type Environment, environment, type VariableType } from "./author/environment.ts";
export { forbidden, notFound, redirect, unauthorized } from "./author/outcome.ts";
export {
  type NamedSchedule,
  type Schedule,
  type ScheduleContext,
  type ScheduleOptions,
  schedule,
} from "./author/schedule.ts";
export { cookieSession, type Session, type SessionOptions } from "./author/session.ts";
export type { Schema } from "./author/standard-schema.ts";
export type { SecurityPolicy } from "./send/security-headers.ts";
export type { HandlerOptions } from "./site.ts";

/** Handles requests for the pages of one application. */
export interface PageHandler {
  build: string;
  handle(incoming: IncomingMessage, response: ServerResponse): void | Promise<void>;
  /** Loads every page file ahead of the first request. */
  warm(): Promise<void>;
  /** The tasks of `src/schedules.server.ts`. */
  schedules(): Promise<readonly NamedSchedule[]>;
}

/** Called by the generated server entry with the build's result. */
export function createPageHandler(parts: ApplicationParts, options: HandlerOptions): PageHandler {
  const large = new LargeAnswers(options.limits, options.uploadFolder, options.posts.refusals);
  const application = new Application(parts);
  const site = { ...options, application, large, visitors: new VisitorCookies() };
  options.signals.routesKnown(application.patterns.map(({ id }) => id));
  return {
    build: parts.build,
    handle: (incoming, response) => handleRequest(incoming, response, site),
    warm: () => site.application.warm(),
    schedules: async () => readSchedules((await parts.schedules?.()) ?? {}),
  };
}
