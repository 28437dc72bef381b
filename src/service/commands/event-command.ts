import { readDigest, readEventId } from "#protocol";
import { systemClock } from "../clock.ts";
import { consoleAddressOf } from "../last-address.ts";
import { openReader } from "../open-reader.ts";
import { eventByIdOrDigest } from "../queries/event.ts";
import { eventAsMarkdown } from "../queries/event-as-markdown.ts";
import { publicEvent } from "../queries/public-event.ts";
import { dataFolderOf, dataOption, readArguments, type ServiceCommand, wrongUse } from "./command.ts";

const usage = "event DIGEST-OR-ID [--data FOLDER] [--json]";

/** Prints the event with a digest or id, whether the service runs or not. */
export const eventCommand: ServiceCommand = {
  usage,
  options: { ...dataOption, "--json": "the event as it is kept, for programs" },
  description: "prints the event with this digest or id",
  async run(args, { print }) {
    const { options, rest } = readArguments(args, { data: "text", json: "switch" }, usage);
    const [wanted] = rest;
    const idOrPrefix = wanted === undefined ? undefined : (readEventId(wanted) ?? readDigest(wanted));
    if (idOrPrefix === undefined)
      throw wrongUse(`"${wanted ?? ""}" is neither a digest such as 7K2M-9QXD-4TBA nor an event id.`, usage);
    const folder = dataFolderOf(options);
    const store = await openReader(folder);
    try {
      const event = await store.event(undefined, idOrPrefix);
      const found = event && (await eventByIdOrDigest({ store, now: systemClock.now() }, event.project, event.eventId));
      if (found === undefined) {
        print(`There is no event ${wanted}.`);
        return 1;
      }
      const at = consoleAddressOf(folder);
      print(options.json === true ? JSON.stringify(publicEvent(found, at), undefined, 2) : eventAsMarkdown(found, at));
      return 0;
    } finally {
      store.close();
    }
  },
};
