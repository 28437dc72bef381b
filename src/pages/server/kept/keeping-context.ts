import type { ActionContext, KeepingContext, RequestContext } from "../author/define.ts";

type Own = Pick<ActionContext<unknown>, "params" | "url" | "lang" | "signal" | "input" | "key" | "invalid">;

/**
 * The context of an action with `keeps`. What belongs to the visitor's request is in `visit`, also in the first run: an
 * action that would fail later without it does not compile.
 */
export function keepingContext(
  { params, url, lang, signal, input, key, invalid }: Own,
  identity: unknown,
  request: RequestContext | undefined,
): KeepingContext<unknown, string, unknown> {
  return { params, url, lang, signal, input, key, invalid, identity, visit: request && visitOf(request) };
}

/** With getters, so that only what is used is created. */
function visitOf(request: RequestContext): NonNullable<KeepingContext<unknown>["visit"]> {
  return {
    locals: request.locals,
    get cookies() {
      return request.cookies;
    },
    get headers() {
      return request.headers;
    },
    get response() {
      return request.response;
    },
    get clientAddress() {
      return request.clientAddress;
    },
  };
}
