import path from "node:path";
import { readDigest, readEventId } from "#protocol";
import {
  consolePath,
  eventByIdOrDigest,
  openReader,
  openRemote,
  publicEvent,
  systemClock,
  unlessUnknown,
} from "#service";
import { cliErrors } from "../errors.ts";
import { type PastEvent, readPastEvent } from "../replay/past-event.ts";

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
    return pastEventOf(publicEvent(answer, undefined), digest);
  } finally {
    reader.close();
  }
}

/** Fetches an event by the API of another service, with the token of the environment or of `holdfast login`. */
export async function eventFromApi(service: string, digest: string): Promise<PastEvent> {
  if (readDigest(digest) === undefined && readEventId(digest) === undefined) throw cliErrors.noDigest(digest);
  const remote = openRemote(service);
  const found = await unlessUnknown(remote.call("GET /digests/{digest}", { params: { digest } }));
  if (found === undefined) throw cliErrors.noSuchEvent(digest, service);
  const params = { project: found.project, id: found.event };
  return pastEventOf(await remote.call("GET /projects/{project}/events/{id}", { params }), digest);
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
  return pastEventOf(await answer.json(), digest);
}

/** Both sources return the public form of an event. */
function pastEventOf(event: unknown, digest: string): PastEvent {
  const reading = readPastEvent(event);
  if (reading.kind === "damped") throw cliErrors.eventWithoutBody(digest);
  if (reading.kind === "no-request") throw cliErrors.eventWithoutRequest(digest);
  return reading.event;
}
