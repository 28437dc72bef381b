import type { FolderId, LocalsOf, PageId, RouteParams } from "#routes";
import type { PageRequest } from "../page-request.ts";
import type { Cookies } from "./cookies.ts";
import type { Schema } from "./standard-schema.ts";

/** What the request hook returned: the application's own knowledge about this request, such as the signed-in user. */
export type Locals = LocalsOf;

/** What guards, loads and actions receive. */
export interface RequestContext<Id extends string = string> {
  readonly params: RouteParams<Id>;
  readonly url: URL;
  readonly headers: Headers;
  readonly cookies: Cookies;
  readonly locals: Locals;
  readonly method: string;
  /**
   * The visitor's network address, as the connection or a proxy of `trustedProxies` tells it. To bound how often one
   * visitor may try something.
   */
  readonly clientAddress: string;
  /** Aborted when the visitor has gone or time is up. Pass it on to what you wait for. */
  readonly signal: AbortSignal;
}

export interface LoadContext<Id extends string = string, Search = URLSearchParams> extends RequestContext<Id> {
  readonly search: Search;
}

/** The `data` export of a server half. */
export interface Load<Data = unknown> {
  readonly kind: "load";
  readonly route: string | undefined;
  readonly search: Schema | undefined;
  readonly run: (context: never) => Data | Promise<Data>;
}

export interface LoadOptions<Search> {
  /** Checks and converts the address's search; when it does not fit, the page answers 400. */
  search: Schema<Search>;
}

/**
 * Loads what a page or layout shows. Runs on the server only; layouts and page at the same time. Promises in what it
 * returns are streamed.
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
export function load(...given: readonly unknown[]): Load {
  const run = given.at(-1) as Load["run"];
  const route = typeof given[0] === "string" ? given[0] : undefined;
  const options = given.length === 3 ? (given[1] as LoadOptions<unknown>) : undefined;
  return { kind: "load", route, search: options?.search, run };
}

/**
 * Runs before anything of its folder or page, for document, data, action and API route alike. Ends the request with
 * `redirect`, `forbidden` and the like.
 */
export type Guard<Id extends string = string> = (context: RequestContext<Id>) => void | Promise<void>;

export interface ActionContext<Input, Id extends string = string> extends RequestContext<Id> {
  /**
   * Aborted when the action's time is up, or the process has to end. Not when the visitor leaves: what was begun is to
   * end.
   */
  readonly signal: AbortSignal;
  /** What was posted, checked by the schema; without one the FormData or the JSON itself. */
  readonly input: Input;
  /**
   * Names this submission: the same however often it is sent. For a column that must be unique, or a payment provider's
   * own key. Undefined where the sender gave none: a page that may be cached, without JavaScript, or a program.
   */
  readonly key: string | undefined;
}

/** One of the `actions` of a server half. */
export interface Action<Input = unknown, Result = unknown> {
  readonly kind: "action";
  readonly input: Schema | undefined;
  readonly uploads: boolean;
  readonly changesNothing: boolean;
  readonly once: boolean;
  readonly run: (context: never) => Result | Promise<Result>;
  /** Only for types: what a form has to send. */
  readonly accepts?: Input;
}

export interface ActionOptions<Input, Id extends string> {
  /** The route it belongs to, for typed `params`. */
  route?: Id;
  input?: Schema<Input>;
  /** Takes files, each as a `File` that is read from disk. Off by default. */
  uploads?: boolean;
  /**
   * It only answers a question, so that it may be asked twice. Without JavaScript the page is the answer itself instead
   * of a redirect to it, and the result may have any size. Off by default.
   */
  changesNothing?: boolean;
  /**
   * Refuses to run where the server cannot remember that it has: for payments. Without it a form works without a memory
   * too, and may then be run twice. Off by default.
   */
  once?: boolean;
}

/**
 * Does something for a form. Reached by path and name, so it survives deploys. What it returns is shown by the page it
 * was posted from; a `redirect` leads on. Throw `invalid(…)` for what only the server can know, such as a name that is
 * taken.
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
  /** For what was tried too often: the answer is 429 with this `Retry-After`. */
  retryAfterSeconds?: number;
}

/** Ends an action with messages for fields (`""` is the form as a whole): 422, with what was typed kept. */
export function invalid(fields: Readonly<Record<string, string>>, options: InvalidOptions = {}): never {
  throw new Invalid(fields, options);
}

export interface RequestHook<Value> {
  (request: Pick<PageRequest, "method" | "url" | "headers" | "cookies" | "signal">): Value | Promise<Value>;
  readonly visitor?: ((locals: Value) => VisitorName) | undefined;
}

/** Who the visitor is, in as few words as tell them apart: the id of a user. Nothing for one who is not signed in. */
export type VisitorName = string | number | null | undefined;

export interface RequestHookOptions<Value> {
  /**
   * Says who the visitor is. Without it the framework looks at the cookies that the application reads, which is right
   * unless one of them changes with every request, as the cookie of a session that is renewed each time does.
   */
  visitor?: (locals: Value) => VisitorName;
}

/**
 * The default export of `src/request.server.ts`: runs once for each request to a page or API route, before guards. What
 * it returns is `locals`.
 *
 * @example export default onRequest(({ cookies }) => ({ user: session.read(cookies)?.user }));
 */
export function onRequest<Value extends object>(
  hook: (...given: Parameters<RequestHook<Value>>) => Value | Promise<Value>,
  options: RequestHookOptions<Value> = {},
): RequestHook<Value> {
  return Object.assign((...given: Parameters<RequestHook<Value>>) => hook(...given), { visitor: options.visitor });
}
