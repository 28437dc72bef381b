import type { ActionContext, KeepingContext, RequestContext } from "../author/define.ts";
import { OwnGetters } from "../own-getters.ts";

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
  return {
    params,
    url,
    lang,
    signal,
    input,
    key,
    invalid,
    identity,
    visit: request && getters.defineOn(new RequestPart(request)),
  };
}

type VisitPart = NonNullable<KeepingContext<unknown>["visit"]>;

/** With getters, so that only what is used is created. */
class RequestPart implements VisitPart {
  readonly locals: VisitPart["locals"];
  readonly #request: RequestContext;

  constructor(request: RequestContext) {
    this.locals = request.locals;
    this.#request = request;
  }

  get cookies(): VisitPart["cookies"] {
    return this.#request.cookies;
  }

  get headers(): VisitPart["headers"] {
    return this.#request.headers;
  }

  get response(): VisitPart["response"] {
    return this.#request.response;
  }

  get clientAddress(): VisitPart["clientAddress"] {
    return this.#request.clientAddress;
  }
}

const getters = new OwnGetters(RequestPart.prototype);
