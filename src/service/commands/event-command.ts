import { readDigest, readEventId } from "#protocol";
import type { ApiClient } from "../api/client.ts";
import { systemClock } from "../clock.ts";
import { consoleAddressOf } from "../last-address.ts";
import { openReader } from "../open-reader.ts";
import { eventByIdOrDigest } from "../queries/event.ts";
import { eventAsMarkdown } from "../queries/event-as-markdown.ts";
import { publicEvent } from "../queries/public-event.ts";
import { dataFolderOf, dataOption, readArguments, type ServiceCommand, wrongUse } from "./command.ts";
import { remoteIn, serviceOption, unlessUnknown } from "./remote/open-remote.ts";

const usage = "event DIGEST-OR-ID [--data FOLDER | --service URL] [--json]";

/** Prints the event with a digest or id, whether the service runs or not. */
export const eventCommand: ServiceCommand = {
  usage,
  options: { ...dataOption, ...serviceOption, "--json": "the event as it is kept, for programs" },
  description: "prints the event with this digest or id",
  async run(args, { print }) {
    const { options, rest } = readArguments(args, { data: "text", service: "text", json: "switch" }, usage);
    const [wanted] = rest;
    const idOrPrefix = wanted === undefined ? undefined : (readEventId(wanted) ?? readDigest(wanted));
    if (wanted === undefined || idOrPrefix === undefined)
      throw wrongUse(`"${wanted ?? ""}" is neither a digest such as 7K2M-9QXD-4TBA nor an event id.`, usage);
    const isJson = options.json === true;
    const remote = remoteIn(options);
    const text = remote
      ? await eventOfService(remote, wanted, isJson)
      : await eventInFolder(dataFolderOf(options), idOrPrefix, isJson);
    print(text ?? `There is no event ${wanted}.`);
    return text === undefined ? 1 : 0;
  },
};

async function eventInFolder(folder: string, idOrPrefix: string, isJson: boolean): Promise<string | undefined> {
  const store = await openReader(folder);
  try {
    const event = await store.event(undefined, idOrPrefix);
    const found = event && (await eventByIdOrDigest({ store, now: systemClock.now() }, event.project, event.eventId));
    if (found === undefined) return undefined;
    const at = consoleAddressOf(folder);
    return isJson ? JSON.stringify(publicEvent(found, at), undefined, 2) : eventAsMarkdown(found, at);
  } finally {
    store.close();
  }
}

/** In all projects that the token may read. */
async function eventOfService(remote: ApiClient, digest: string, isJson: boolean): Promise<string | undefined> {
  const found = await unlessUnknown(remote.call("GET /digests/{digest}", { params: { digest } }));
  if (found === undefined) return undefined;
  const { project, event: id } = found;
  if (!isJson) return remote.eventAsMarkdown(project, id);
  return JSON.stringify(
    await remote.call("GET /projects/{project}/events/{id}", { params: { project, id } }),
    undefined,
    2,
  );
}
