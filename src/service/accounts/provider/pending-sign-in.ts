/**
 * What a browser must bring back from the provider: the answer belongs to its own question (`state`), the token to this
 * sign-in (`nonce`), and the code to the browser that asked for it (`verifier`).
 */
export interface PendingSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The page that the person wanted. */
  readonly to: string | undefined;
}

/** The browser stores it in a cookie until it comes back. */
export function writePending(pending: PendingSignIn): string {
  return Buffer.from(JSON.stringify(pending)).toString("base64url");
}

export function readPending(text: string | undefined): PendingSignIn | undefined {
  let read: unknown;
  try {
    read = JSON.parse(Buffer.from(text ?? "", "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
  if (typeof read !== "object" || read === null) return undefined;
  const { state, nonce, verifier, to } = read as Readonly<Record<string, unknown>>;
  if (typeof state !== "string" || typeof nonce !== "string" || typeof verifier !== "string") return undefined;
  return { state, nonce, verifier, to: typeof to === "string" ? to : undefined };
}
