import type { FolderId, LocalsOf, PageId, RouteParams } from "#routes";
import type { PageRequest } from "../page-request.ts";
import type { Cookies } from "./cookies.ts";
import type { Schema } from "./standard-schema.ts";

/** The result of the request hook: the application's own data about this request, such as the signed-in user. */
export type Locals = LocalsOf;

/** The argument of guards, loads and actions. */
export interface RequestContext<Id extends string = string> {
  readonly params: RouteParams<Id>;
  readonly url: URL;
  readonly headers: Headers;
  readonly cookies: Cookies;
  readonly locals: Locals;
  readonly method: string;
  /**
   * The visitor's network address, from the connection or from a proxy in `trustedProxies`. Use it to limit how often
   * one visitor may try something.
   */
  readonly clientAddress: string;
  /** Aborted when the visitor has left or time is up. Pass it on to everything you await. */
  readonly signal: AbortSignal;
}

export interface LoadContext<Id extends string = string, Search = URLSearchParams> extends RequestContext<Id> {
  readonly search: Search;
}

/** The `data` export of a `.server.ts` file. */
export interface Load<Data = unknown> {
  readonly kind: "load";
  readonly route: string | undefined;
  readonly search: Schema | undefined;
  readonly run: (context: never) => Data | Promise<Data>;
}

export interface LoadOptions<Search> {
  /** Validates and converts the search of the address; if it is invalid, the page responds with 400. */
  search: Schema<Search>;
}

/**
 * Loads the data of a page or layout. Runs on the server only, for layouts and page in parallel. Promises in the
 * returned data are streamed.
 *
 * @example
 * export const data = load("/orders/[id]", async ({ params, signal }) => ({
 *   order: (await findOrder(params.id, { signal })) ?? notFound(),
 * }));
 */
export function load<const Id extends PageId | FolderId, Data>(
  route: Id,
  run: (context: LoadContext<Id>) => Data | Promise<Data>,
): Load<Data>;
export function load<const Id extends PageId | FolderId, Search, Data>(
  route: Id,
  options: LoadOptions<Search>,
  run: (context: LoadContext<Id, Search>) => Data | Promise<Data>,
): Load<Data>;
export function load<Data>(run: (context: LoadContext) => Data | Promise<Data>): Load<Data>;
export function load(...args: readonly unknown[]): Load {
  const run = args.at(-1) as Load["run"];
  const route = typeof args[0] === "string" ? args[0] : undefined;
  const options = args.length === 3 ? (args[1] as LoadOptions<unknown>) : undefined;
  return { kind: "load", route, search: options?.search, run };
}

/**
 * Runs before everything else of its folder or page, for document, data, action and API route alike. Ends the request
 * with `redirect`, `forbidden` and the like.
 */
export type Guard<Id extends string = string> = (context: RequestContext<Id>) => void | Promise<void>;

export interface ActionContext<Input, Id extends string = string> extends RequestContext<Id> {
  /**
   * Aborted when the action's time is up or the process has to end. Not when the visitor leaves: an action that has
   * started runs to its end.
   */
  readonly signal: AbortSignal;
  /** The posted input, validated by the schema; without one the FormData or the JSON itself. */
  readonly input: Input;
  /**
   * Identifies this submission: the same for each of its attempts. For a unique column, or a payment provider's
   * idempotency key. Undefined if the sender gave none: a page that may be cached, without JavaScript, or a program.
   */
  readonly key: string | undefined;
}

/** One of the `actions` of a `.server.ts` file. */
export interface Action<Input = unknown, Result = unknown> {
  readonly kind: "action";
  readonly input: Schema | undefined;
  readonly uploads: boolean;
  readonly changesNothing: boolean;
  readonly once: boolean;
  readonly run: (context: never) => Result | Promise<Result>;
  /** For types only: what a form has to send. */
  readonly accepts?: Input;
}

export interface ActionOptions<Input, Id extends string> {
  /** The route it belongs to, for typed `params`. */
  route?: Id;
  input?: Schema<Input>;
  /** Accepts files, each as a `File` that is read from disk. Off by default. */
  uploads?: boolean;
  /**
   * It changes nothing, so it may run twice. Without JavaScript the page itself is the response instead of a redirect
   * to it, and the result may have any size. Off by default.
   */
  changesNothing?: boolean;
  /**
   * Refuses to run if the server cannot remember that it has run: for payments. Other actions work without a memory,
   * and may then run twice. Off by default.
   */
  once?: boolean;
}

/**
 * Handles a form. It is addressed by path and name, so it survives deploys. The page it was posted from shows the
 * returned value; `redirect` leads to another page. Throw `invalid(…)` for errors that only the server can find, such
 * as a name that is taken.
 *
 * @example
 * export const actions = {
 *   rename: action({ input: z.object({ name: z.string().min(1) }) }, async ({ input, params }) => { … }),
 * };
 */
export function action<Input, Result, const Id extends string = string>(
  options: ActionOptions<Input, Id>,
  run: (context: ActionContext<Input, Id>) => Result | Promise<Result>,
): Action<Input, Result> {
  return {
    kind: "action",
    input: options.input,
    uploads: options.uploads ?? false,
    changesNothing: options.changesNothing ?? false,
    once: options.once ?? false,
    run: run as Action<Input, Result>["run"],
  };
}

/** Field errors that an action found itself. Not an Error: the visitor sees them, nothing is reported. */
export class Invalid {
  readonly fields: Readonly<Record<string, string>>;
  readonly retryAfterSeconds: number | undefined;

  constructor(fields: Readonly<Record<string, string>>, { retryAfterSeconds }: InvalidOptions) {
    this.fields = fields;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export interface InvalidOptions {
  /** After too many attempts: the response is 429 with this `Retry-After`. */
  retryAfterSeconds?: number;
}

/** Ends an action with messages for fields (`""` is the form as a whole): 422, and the typed text is kept. */
export function invalid(fields: Readonly<Record<string, string>>, options: InvalidOptions = {}): never {
  throw new Invalid(fields, options);
}

export interface RequestHook<Value> {
  (request: Pick<PageRequest, "method" | "url" | "headers" | "cookies" | "signal">): Value | Promise<Value>;
  readonly visitor?: ((locals: Value) => VisitorName) | undefined;
}

/** Identifies the visitor, such as the id of a user. Empty for one who is not signed in. */
export type VisitorName = string | number | null | undefined;

export interface RequestHookOptions<Value> {
  /**
   * Returns who the visitor is. Without it the framework uses the cookies that the application reads. That works unless
   * one of them changes with every request, like a session cookie that is renewed each time.
   */
  visitor?: (locals: Value) => VisitorName;
}

/**
 * The default export of `src/request.server.ts`: runs once for each request to a page or API route, before guards. Its
 * result is `locals`.
 *
 * @example export default onRequest(({ cookies }) => ({ user: session.read(cookies)?.user }));
 */
export function onRequest<Value extends object>(
  hook: (...args: Parameters<RequestHook<Value>>) => Value | Promise<Value>,
  options: RequestHookOptions<Value> = {},
): RequestHook<Value> {
  return Object.assign((...args: Parameters<RequestHook<Value>>) => hook(...args), { visitor: options.visitor });
}
