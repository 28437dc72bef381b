import {
  type AfterTarget,
  type Language,
  type LinkText,
  type LinkTo,
  type ParamInput,
  redirectAddress,
  type TargetArgument,
  type TargetOptions,
} from "#routes";

/**
 * A planned end of a request other than its page. Thrown by `redirect`, `notFound`, `unauthorized` and `forbidden`, so
 * that it ends a function at any depth. Not an Error: nothing has failed, nothing is reported.
 */
export class Outcome {
  readonly ends:
    | { kind: "redirect"; to: string; status: number; lang?: string | undefined }
    | { kind: "not-found" }
    | { kind: "refused"; status: 401 | 403 };

  constructor(ends: Outcome["ends"]) {
    this.ends = ends;
  }
}

export interface RedirectOptions {
  /**
   * 303 by default, so that the browser requests the target with GET. 307 and 308 keep the method; browsers cache 301
   * and 308.
   */
  status?: 301 | 302 | 303 | 307 | 308;
  /** The language of the target; that of the request by default. */
  lang?: Language;
}

/**
 * Redirects the visitor to another page. Accepts a route and its parameters, a path of the application, or the address
 * of an allowed origin.
 *
 * @example redirect("/orders/[id]", { id: order.id }, { search: { tab: "items" } })
 */
export function redirect<To extends LinkText>(
  to: LinkTo<To>,
  ...rest: AfterTarget<To, TargetArgument<To, RedirectOptions>>
): never;
export function redirect(to: string, params?: ParamInput, options: RedirectOptions & TargetOptions = {}): never {
  const { status = 303, lang } = options;
  throw new Outcome({ kind: "redirect", to: redirectAddress(to, params, options), status, lang });
}

/** Shows the nearest `_not-found` page with status 404. */
export function notFound(): never {
  throw new Outcome({ kind: "not-found" });
}

/** Shows the nearest `_error` page with status 401: the visitor has to sign in. */
export function unauthorized(): never {
  throw new Outcome({ kind: "refused", status: 401 });
}

/** Shows the nearest `_error` page with status 403: this visitor is not allowed. */
export function forbidden(): never {
  throw new Outcome({ kind: "refused", status: 403 });
}
