/**
 * Whether a value is a web `Response`, also one of another library's class. Not by `instanceof`: naming the class would
 * load all of Node's web client.
 */
export function isResponse(value: unknown): value is Response {
  return typeof value === "object" && value !== null && Reflect.get(value, Symbol.toStringTag) === "Response";
}

/** Ends a body that no reader needs, unless the other response has it. */
export function discardResponse({ body }: Response, other?: Response): void {
  if (body && body !== other?.body && !body.locked) body.cancel().catch(() => undefined);
}
