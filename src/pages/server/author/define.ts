import type {
  AnySchema,
  ContextParams,
  FolderId,
  InputOf,
  Language,
  LocalsOf,
  OutputOf,
  PageId,
  TypesOf,
} from "#routes";
import type { MessageNameOf } from "../../react/action-types.ts";
import type { Schema } from "../../standard-schema.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import type { PageRequest } from "../page-request.ts";
import { isResponse } from "../web-response.ts";
import type { Cookies } from "./cookies.ts";
import type { LeavingResponse } from "./leaving-response.ts";
import type { ResponseHead } from "./response-head.ts";
import type { UploadTarget } from "./uploads.ts";

/** The result of the request hook: the application's own data about this request, such as the signed-in user. */
export type Locals = LocalsOf;

/** What is the same for all routes. Apart, so that the compiler resolves it once. */
interface RequestFacts {
  readonly url: URL;
  readonly headers: Headers;
  readonly cookies: Cookies;
  /** Status and headers of the response. */
  readonly response: ResponseHead;
  readonly locals: Locals;
  readonly method: string;
  /** The language of the address, or of the page where the application has no `languages`. */
  readonly lang: Language;
  /**
   * The visitor's network address, from the connection or from a proxy in `trustedProxies`. Use it to limit how often
   * one visitor may try something.
   */
  readonly clientAddress: string;
  /** Aborted when the visitor has left or time is up. Pass it on to everything you await. */
  readonly signal: AbortSignal;
}

/** The argument of guards, loads and actions. */
export interface RequestContext<Id extends string = string> extends RequestFacts {
  /** The texts of the address, or what the route's `params` schema has read. */
  readonly params: ContextParams<Id>;
}

export interface LoadContext<Id extends string = string, Search = URLSearchParams, Params = ContextParams<Id>>
  extends RequestFacts {
  readonly params: Params;
  readonly search: Search;
}

/** The `data` export of a `.server.ts` file. */
export interface Load<Data = unknown> {
  readonly kind: "load";
  readonly route: string | undefined;
  readonly search: Schema | undefined;
  readonly params: Schema | undefined;
  readonly tags: readonly string[] | ((params: never) => readonly string[]) | undefined;
  readonly run: (context: never) => Data | Promise<Data>;
  /** For types only: what it returns. */
  readonly gives?: { readonly data: Data };
}

/** What the schema of an option returns. */
type ReadBy<Option, Otherwise> = Option extends AnySchema ? OutputOf<TypesOf<Option>> : Otherwise;

export interface LoadOptions<Search, Params, Given> {
  /** Validates and converts the search of the address; if it is invalid, the page responds with 400. */
  search?: Search;
  /** The `params` of the same file, for types: needed only where the page's folder has a load of the same id. */
  params?: Params;
  /**
   * What the data depends on: `["orders"]`, or a function of the parameters. An action that calls `invalidate` leaves
   * pages alone whose loads all have other tags. A load without tags may depend on anything.
   */
  tags?: readonly string[] | ((params: Given) => readonly string[]);
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
export function load<Id extends PageId | FolderId, Data>(
  route: Id,
  run: (context: LoadContext<Id>) => Data | Promise<Data>,
): Load<Data>;
export function load<
  Id extends PageId | FolderId,
  Data,
  Search extends AnySchema | undefined = undefined,
  Params extends AnySchema | undefined = undefined,
>(
  route: Id,
  options: LoadOptions<Search, Params, ReadBy<Params, ContextParams<Id>>>,
  run: (
    context: LoadContext<Id, ReadBy<Search, URLSearchParams>, ReadBy<Params, ContextParams<Id>>>,
  ) => Data | Promise<Data>,
): Load<Data>;
export function load<Data>(run: (context: LoadContext) => Data | Promise<Data>): Load<Data>;
export function load(...args: readonly unknown[]): Load {
  const run = args.at(-1) as Load["run"];
  const route = typeof args[0] === "string" ? args[0] : undefined;
  const options = args.length === 3 ? (args[1] as LoadOptions<Schema, Schema, never>) : undefined;
  return { kind: "load", route, search: options?.search, params: options?.params, tags: options?.tags, run };
}

/**
 * Runs before everything else of its folder or page, for document, data, action and API route alike. Ends the request
 * with `redirect`, `forbidden` and the like.
 */
export type Guard<Id extends string = string> = (context: RequestContext<Id>) => void | Promise<void>;

export interface ActionContext<Input, Id extends string = string, Fields = unknown> extends RequestContext<Id> {
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
  /** Like `invalid` of `holdfast/server`, for the fields of this action's schema alone. */
  readonly invalid: InvalidFields<Fields>;
}

/**
 * Ends an action with messages for fields: `address.city`, `lines[0].amount`, for objects, rows and lists as a whole:
 * `address`, `lines[0]`, `lines`, and `""` for the form.
 */
export type InvalidFields<Fields = unknown> = (
  messages: { readonly [Name in MessageNameOf<Fields> | ""]?: string | undefined },
  options?: InvalidOptions,
) => never;

/**
 * The context of an action with `keeps`. It is the same when an operator runs the submission later, apart from `visit`:
 * there is no visitor then.
 */
export interface KeepingContext<Input, Id extends string = string, Who = undefined, Fields = unknown>
  extends Pick<ActionContext<Input, Id, Fields>, "params" | "url" | "lang" | "signal" | "input" | "key" | "invalid"> {
  /** What `identity` returned when the submission arrived. */
  readonly identity: Who;
  /** The visitor's request; undefined in a later run. */
  readonly visit: Pick<RequestContext<Id>, "locals" | "cookies" | "headers" | "response" | "clientAddress"> | undefined;
}

/** A submission that was kept and has been done since. */
export interface Recovered<Who = unknown> {
  readonly identity: Who;
  /** What the action returned; undefined if it ended with a redirect. */
  readonly result: unknown;
  readonly keptAt: Date;
  /** The code under which the visitor was told that it is kept. */
  readonly digest: string;
  readonly key: string | undefined;
}

export interface Keeps<Id extends string = string, Who = unknown> {
  /**
   * Who sent it, as far as a later run needs it: the id of a user. Kept with the submission, since cookies and `locals`
   * are not.
   */
  identity?: (context: RequestContext<Id>) => Who;
  /** Called once a kept submission has been done: for a mail, or a notice on the next visit. Repeated if it throws. */
  onRecovered?: (recovered: Recovered<Who>) => unknown;
}

/** One of the `actions` of a `.server.ts` file. */
export interface Action<Input = unknown, Result = unknown, Fields = Input> {
  readonly kind: "action";
  readonly input: Schema | undefined;
  readonly uploads: boolean | UploadTarget<never>;
  readonly changesNothing: boolean;
  readonly once: boolean;
  readonly keeps: Keeps<never, never> | undefined;
  readonly timeout: number | undefined;
  readonly bodyBytes: number | undefined;
  readonly uploadBytes: number | undefined;
  readonly files: number | undefined;
  readonly run: (context: never) => Result | Promise<Result>;
  /** For types only: what a form has to send, and what it gets. */
  readonly accepts?: Fields;
  readonly gives?: { readonly result: Result };
}

/** What the schema of an action accepts; anything without one. */
type AcceptedBy<Option> = Option extends AnySchema ? InputOf<TypesOf<Option>> : unknown;

interface AnyActionOptions<Input, Id extends string> {
  /** The route it belongs to, for typed `params`. */
  route?: Id;
  input?: Input;
  /**
   * Accepts files: `true` for a `File` that is read from disk, or functions that store each file elsewhere as it
   * arrives. Off by default.
   */
  uploads?: boolean | UploadTarget<RequestContext<Id>>;
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
  /** Its time limit in seconds, from 0.1 to 3,600; 60, or `submissions.actionSeconds` of the configuration. */
  timeout?: number;
  /** Bytes of its fields, or of JSON; 1 MiB, or `limits.bodyBytes`. */
  bodyBytes?: number;
  /** Bytes of all files of one upload together; 32 MiB, or `limits.uploadBytes`. */
  uploadBytes?: number;
  /** Files of one upload; 20, or `limits.files`. */
  files?: number;
}

export interface ActionOptions<Input, Id extends string> extends AnyActionOptions<Input, Id> {
  keeps?: undefined;
}

export interface KeepingOptions<Input, Id extends string, Who> extends AnyActionOptions<Input, Id> {
  /**
   * Keeps what was sent, sealed on disk, before the action runs. If it fails, or its process dies, an operator runs it
   * again, and the visitor need not send it again.
   */
  keeps: true | Keeps<Id, Who>;
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
export function action<Result, Id extends string = string, Input extends AnySchema | undefined = undefined>(
  options: ActionOptions<Input, Id>,
  run: (context: ActionContext<ReadBy<Input, unknown>, Id, AcceptedBy<Input>>) => Result | Promise<Result>,
): Action<ReadBy<Input, unknown>, Result, AcceptedBy<Input>>;
export function action<
  Result,
  Id extends string = string,
  Who = undefined,
  Input extends AnySchema | undefined = undefined,
>(
  options: KeepingOptions<Input, Id, Who>,
  run: (context: KeepingContext<ReadBy<Input, unknown>, Id, Who, AcceptedBy<Input>>) => Result | Promise<Result>,
): Action<ReadBy<Input, unknown>, Result, AcceptedBy<Input>>;
export function action(
  options: Partial<Omit<Action, "kind" | "run" | "keeps">> & { keeps?: unknown },
  run: unknown,
): Action {
  const { keeps } = options;
  return {
    kind: "action",
    input: options.input,
    uploads: options.uploads ?? false,
    changesNothing: options.changesNothing ?? false,
    once: options.once ?? false,
    keeps: keeps === true ? {} : (keeps as Action["keeps"]),
    timeout: options.timeout,
    bodyBytes: options.bodyBytes,
    uploadBytes: options.uploadBytes,
    files: options.files,
    run: run as Action["run"],
  };
}

/** Field errors that an action found itself. Not an Error: the visitor sees them, nothing is reported. */
export class Invalid {
  readonly fields: Readonly<Record<string, string>>;
  readonly retryAfterSeconds: number | undefined;

  constructor(fields: Readonly<Record<string, string | undefined>>, { retryAfterSeconds }: InvalidOptions) {
    const messages = Object.entries(fields).filter((one): one is [string, string] => one[1] !== undefined);
    this.fields = Object.fromEntries(messages);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export interface InvalidOptions {
  /** After too many attempts: the response is 429 with this `Retry-After`. */
  retryAfterSeconds?: number;
}

/** Ends an action with messages for fields (`""` is the form as a whole): 422, and the typed text is kept. */
export function invalid(fields: Readonly<Record<string, string | undefined>>, options: InvalidOptions = {}): never {
  throw new Invalid(fields, options);
}

/** The argument of a request hook. */
export interface HookRequest<Before extends object = object>
  extends Pick<PageRequest, "method" | "url" | "headers" | "cookies" | "response" | "signal"> {
  /** The language of the address, or of the configuration where the application has no `languages`. */
  readonly lang: Language;
  /** What the hooks before this one returned; empty for the first. */
  readonly locals: Before;
}

export interface RequestHook<Value, Before extends object = object> {
  (request: HookRequest<Before>): Value | Promise<Value>;
  readonly visitor?: ((locals: Value) => VisitorName) | undefined;
  /** The hooks that see the response, in the order in which they run. */
  readonly responseHooks?: readonly NamedResponseHook[];
}

/** Identifies the visitor, such as the id of a user. Empty for one who is not signed in. */
export type VisitorName = string | number | null | undefined;

/** The request whose response leaves. */
export interface LeavingRequest<Value extends object = object>
  extends Pick<PageRequest, "method" | "url" | "headers" | "cookies" | "signal"> {
  readonly lang: Language;
  /** What the hooks returned, as far as they have run. Empty for a file. */
  readonly locals: Partial<Value>;
}

export type ResponseHook<Value extends object = object> = (
  response: LeavingResponse,
  request: LeavingRequest<Value>,
) => MaybePromise<Response | undefined> | MaybePromise<void>;

export interface NamedResponseHook {
  readonly run: ResponseHook;
  readonly files: boolean;
}

export interface RequestHookOptions<Value extends object> {
  /**
   * Returns who the visitor is. Without it the framework uses the cookies that the application reads. That works unless
   * one of them changes with every request, like a session cookie that is renewed each time.
   */
  visitor?: (locals: Value) => VisitorName;
  /**
   * Sees and changes the response that leaves, just before its head is sent. Of several hooks the last one's runs
   * first. The `Response` of an API route or hook can be replaced by another one.
   */
  onResponse?: ResponseHook<Value>;
  /** Whether `onResponse` runs for files of the build and of `public/` too. */
  files?: boolean;
}

/**
 * The default export of `src/request.server.ts`: runs once for each request to a page or API route, before guards. Its
 * result is `locals`. A `Response` ends the request.
 *
 * @example export default onRequest(({ cookies }) => ({ user: session.read(cookies)?.user }));
 */
export function onRequest<Value extends object, Before extends object = object>(
  hook: (request: HookRequest<Before>) => MaybePromise<Value | Response | undefined> | MaybePromise<void>,
  { visitor, onResponse, files = false }: RequestHookOptions<Value> = {},
): RequestHook<Value, Before> {
  const run = (request: HookRequest<Before>): Value | Promise<Value> => hook(request) as Value | Promise<Value>;
  const responseHooks = onResponse ? [{ run: onResponse as ResponseHook, files }] : [];
  return Object.assign(run, { visitor, responseHooks });
}

/**
 * Several request hooks as one. They run in this order; each has the `locals` of those before it, and a `Response` ends
 * the request. Their `onResponse` run in the opposite order. More than five are sequences of sequences.
 *
 * @example export default sequence(maintenance, signedIn, timing);
 */
export function sequence<A extends object, B extends object>(
  first: RequestHook<A>,
  second: RequestHook<B, A>,
): RequestHook<A & B>;
export function sequence<A extends object, B extends object, C extends object>(
  first: RequestHook<A>,
  second: RequestHook<B, A>,
  third: RequestHook<C, A & B>,
): RequestHook<A & B & C>;
export function sequence<A extends object, B extends object, C extends object, D extends object>(
  first: RequestHook<A>,
  second: RequestHook<B, A>,
  third: RequestHook<C, A & B>,
  fourth: RequestHook<D, A & B & C>,
): RequestHook<A & B & C & D>;
export function sequence<A extends object, B extends object, C extends object, D extends object, E extends object>(
  first: RequestHook<A>,
  second: RequestHook<B, A>,
  third: RequestHook<C, A & B>,
  fourth: RequestHook<D, A & B & C>,
  fifth: RequestHook<E, A & B & C & D>,
): RequestHook<A & B & C & D & E>;
export function sequence(...hooks: readonly RequestHook<object, never>[]): RequestHook<object> {
  const run = async (request: HookRequest): Promise<object> => {
    for (const hook of hooks) {
      const returned: unknown = await hook(request as HookRequest<never>);
      if (isResponse(returned)) return returned;
      Object.assign(request.locals, returned);
    }
    return request.locals;
  };
  return Object.assign(run, {
    // The last one knows most.
    visitor: hooks.findLast(({ visitor }) => visitor)?.visitor,
    responseHooks: hooks.toReversed().flatMap(({ responseHooks = [] }) => responseHooks),
  });
}
