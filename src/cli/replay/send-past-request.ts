import type { PastEvent } from "./past-event.ts";

/** Parts of the request that the event lacks and the developer can supply. */
export interface HandedOver {
  /** Fields of the posted form. */
  fields: readonly (readonly [string, string])[];
  /** Body of the request to an API route. */
  json: string | undefined;
  cookie: string | undefined;
}

export const nothingHandedOver: HandedOver = { fields: [], json: undefined, cookie: undefined };

export interface SendOptions {
  /** Origin of the server. */
  to: string;
  handedOver: HandedOver;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
}

export interface PastAnswer {
  status: number;
  /** Target of a redirect. */
  leadsTo: string | null;
}

/** Sends the request of an event to a server of this machine, and reads its response to the end. */
export async function sendPastRequest(event: PastEvent, options: SendOptions): Promise<PastAnswer> {
  const { to, handedOver, headers, signal } = options;
  // Joined as texts: a path that begins with two slashes would name another server.
  const response = await fetch(to + event.target, {
    ...bodyOf(event, handedOver),
    method: event.method,
    redirect: "manual",
    headers: {
      accept: "text/html",
      origin: to,
      ...(handedOver.cookie !== undefined && { cookie: handedOver.cookie }),
      ...(handedOver.json !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(signal && { signal }),
  });
  await readToEnd(response);
  return { status: response.status, leadsTo: response.headers.get("location") };
}

/** Whether a request of this method changes nothing. */
export function isSafe(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/** Posts like a browser form; without a body the request would be refused before the action runs. */
function bodyOf({ method }: PastEvent, { fields, json }: HandedOver): { body?: URLSearchParams | string } {
  if (isSafe(method)) return {};
  return { body: json ?? new URLSearchParams(fields.map(([name, value]) => [name, value])) };
}

/** A stream of events never ends. */
async function readToEnd({ body, headers }: Response): Promise<void> {
  if (headers.get("content-type")?.startsWith("text/event-stream")) return body?.cancel();
  for await (const _part of body ?? []);
}
