/** Facts about a visitor who opens the console. */
export interface Caller {
  readonly url: URL;
  readonly headers: Headers;
  /** Value of the console's session cookie. */
  readonly session?: string | undefined;
}

/** Identifies a visitor by the application's own sign-in. Returns undefined for a stranger. */
export type Authorize = (caller: Caller) => unknown;
