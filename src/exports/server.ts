// biome-ignore-all assist/source/organizeImports: one block per group, each with its own comment.
/**
 * `holdfast/server`: for server files (`*.server.ts`) and `src/server`. Never reaches the browser.
 * @module
 */

/** Loads: the data of a page or layout, and the limits of a page (`export const budget`). */
export { type Load, type LoadContext, load, type PageBudget } from "#pages/server";

/** Actions, which a form or fetcher calls. A schema checks the fields; `invalid` returns messages for them. */
export { type Action, type ActionContext, action, invalid, type Schema } from "#pages/server";

/** Guards and the request hook run before loads and actions. `Locals` carries values from them to the page. */
export { type Guard, type Locals, onRequest, type RequestContext } from "#pages/server";

/** Responses in place of a page. Each of them ends the load, action or guard that calls it. */
export { forbidden, notFound, redirect, unauthorized } from "#pages/server";

/** Cookies, and sessions in a signed cookie. */
export { type CookieOptions, type Cookies, cookieSession, type Session, type SessionOptions } from "#pages/server";

/** Tasks that run by themselves: the exports of `src/schedules.server.ts`. */
export { type Schedule, type ScheduleContext, type ScheduleOptions, schedule } from "#pages/server";

/** The variables that the server needs, checked before it starts. */
export { type Environment, environment, type VariableType } from "#pages/server";

/** The shape of `holdfast.config.ts`: `export default { lang: "de" } satisfies HoldfastConfig`. */
export type { HoldfastConfig } from "#host";
