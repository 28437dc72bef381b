/**
 * `holdfast/server`: what server halves (`*.server.ts`) and `src/server` use. Never reaches the browser.
 * @module
 */
/** The shape of `holdfast.config.ts`: `export default { lang: "de" } satisfies HoldfastConfig`. */
export type { HoldfastConfig } from "#host";
/**
 * What a server half is made of: loads, actions and guards, what they may answer instead of a page, cookies and
 * sessions.
 */
export {
  type Action,
  type ActionContext,
  action,
  type CookieOptions,
  type Cookies,
  cookieSession,
  type Environment,
  environment,
  forbidden,
  type Guard,
  invalid,
  type Load,
  type LoadContext,
  type Locals,
  load,
  notFound,
  onRequest,
  type PageBudget,
  type RequestContext,
  redirect,
  type Schema,
  type Session,
  type SessionOptions,
  unauthorized,
  type VariableType,
} from "#pages/server";
