import path from "node:path";
import { readDigest, readEventId } from "#protocol";
import { consolePath, eventByIdOrDigest, openReader, publicEvent, systemClock } from "#service";
import { cliErrors } from "../errors.ts";

/** The parts of an event that are needed to repeat its request. */
export interface PastEvent {
  eventId: string;
  at: number;
  side: "server" | "browser";
  method: string;
  /** Path and search, as far as reports have them. */
  target: string;
  /** The action that failed, if the request called one. */
  action: string | undefined;
  name: string;
  message: string;
}

/** Reads an event from the data folder of an application or service on this machine, running or not. */
export async function eventFromFolder(dataFolder: string, digest: string): Promise<PastEvent> {
  const idOrPrefix = readEventId(digest) ?? readDigest(digest);
  if (idOrPrefix === undefined) throw cliErrors.noDigest(digest);
  const reader = await openReader(path.join(dataFolder, "data"));
  try {
    const found = await reader.event(undefined, idOrPrefix);
    const context = { store: reader, now: systemClock.now() };
    const answer = found && (await eventByIdOrDigest(context, found.project, found.eventId));
    if (answer === undefined) throw cliErrors.noSuchEvent(digest, dataFolder);
    return readPastEvent(publicEvent(answer, undefined), digest);
  } finally {
    reader.close();
  }
}

/** Fetches an event from the console of another service. The headers carry the credentials that it requires. */
export async function eventFromService(service: string, digest: string, headers: Headers): Promise<PastEvent> {
  if (readDigest(digest) === undefined && readEventId(digest) === undefined) throw cliErrors.noDigest(digest);
  const response = await fetch(new URL(`${consolePath}/d/${digest}`, service), { redirect: "manual", headers });
  const location = response.headers.get("location");
  if (response.status === 404) throw cliErrors.noSuchEvent(digest, service);
  const [, project, id] = /\/_holdfast\/([^/]+)\/events\/([0-9a-f]{32})$/.exec(location ?? "") ?? [];
  if (id === undefined) throw cliErrors.serviceRefuses(service, response.status);
  const address = new URL(`${consolePath}/${project}/event/${id}.json`, service);
  const answer = await fetch(address, { redirect: "manual", headers });
  if (!answer.ok) throw cliErrors.serviceRefuses(service, answer.status);
  return readPastEvent(await answer.json(), digest);
}

/** Reads the public form of an event, which lists the thrown exception first. Both sources return it. */
export function readPastEvent(event: unknown, digest: string): PastEvent {
  if (at(event, "kept") !== "whole") throw cliErrors.eventWithoutBody(digest);
  const exceptions = at(event, "exceptions");
  const main: unknown = Array.isArray(exceptions) ? exceptions[0] : undefined;
  const url = textAt(event, "request", "url");
  if (url === undefined) throw cliErrors.eventWithoutRequest(digest);
  const { pathname, search } = new URL(url, "http://localhost");
  return {
    eventId: textAt(event, "id") ?? "",
    at: Date.parse(textAt(event, "at") ?? ""),
    side: textAt(event, "tags", "side") === "browser" ? "browser" : "server",
    method: textAt(event, "request", "method") ?? "GET",
    target: pathname + search,
    action: actionIn(pathname),
    name: textAt(main, "type") ?? "Error",
    message: textAt(main, "value") ?? textAt(event, "message") ?? "",
  };
}

function actionIn(pathname: string): string | undefined {
  const [, name] = /\/_action\/([^/]+)$/.exec(pathname) ?? [];
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
