/** The parts of an event that are needed to repeat its request. */
export interface PastEvent {
  eventId: string;
  at: number;
  /** `unknown`: a client that is not the framework's has reported it. */
  side: "server" | "browser" | "unknown";
  method: string;
  /** Path and search, as far as reports have them. */
  target: string;
  /** The action that failed, if the request called one. */
  action: string | undefined;
  name: string;
  message: string;
}

/** `damped`: only its row was kept, or it is damaged. `no-request`: it happened outside of any request. */
export type PastEventReading = { kind: "read"; event: PastEvent } | { kind: "damped" } | { kind: "no-request" };

/** Reads the public form of an event, which lists the thrown exception first. */
export function readPastEvent(event: unknown): PastEventReading {
  if (at(event, "kept") !== "whole") return { kind: "damped" };
  const exceptions = at(event, "exceptions");
  const main: unknown = Array.isArray(exceptions) ? exceptions[0] : undefined;
  const url = textAt(event, "request", "url");
  if (url === undefined || !URL.canParse(url, "http://localhost")) return { kind: "no-request" };
  const { pathname, search } = new URL(url, "http://localhost");
  return {
    kind: "read",
    event: {
      eventId: textAt(event, "id") ?? "",
      at: Date.parse(textAt(event, "at") ?? ""),
      side: sideOf(textAt(event, "tags", "side")),
      method: textAt(event, "request", "method") ?? "GET",
      target: pathname + search,
      action: actionIn(pathname),
      name: textAt(main, "type") ?? "Error",
      message: textAt(main, "value") ?? textAt(event, "message") ?? "",
    },
  };
}

function sideOf(tag: string | undefined): PastEvent["side"] {
  return tag === "browser" || tag === "server" ? tag : "unknown";
}

/** What reports and the service write in place of secrets. */
const masks = ["[left-out]", "[scrubbed]"];

/** Whether a part of the address was removed as a secret, so that the request cannot be repeated. */
export function isMasked({ target }: PastEvent): boolean {
  return masks.some((mask) => target.includes(mask) || target.includes(encodeURIComponent(mask)));
}

function actionIn(pathname: string): string | undefined {
  const [, name] = /\/_action\/(.+?)(?:(?:\/_keys\/[^/]*)?\/_data|\/_outcome)?$/.exec(pathname) ?? [];
  return name === undefined ? undefined : decodeURIComponent(name);
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inside, name) => (typeof inside === "object" && inside !== null ? Reflect.get(inside, name) : undefined),
    value,
  );
}

function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = at(value, ...path);
  return typeof found === "string" && found !== "" ? found : undefined;
}
