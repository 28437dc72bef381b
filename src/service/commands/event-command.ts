import { join } from "node:path";
import { readDigest, readEventId } from "#protocol";
import { openSqliteReader } from "../stores/sqlite/open-sqlite-store.ts";
import { dataFolderOf, printLine, readArguments, type ServiceCommand, wrongUse } from "./command.ts";
import { eventAsMarkdown } from "./event-as-markdown.ts";

const usage = "holdfast event DIGEST-OR-ID [--data FOLDER] [--json]";

/** Prints one event, found by the code a visitor read out or by its id, whether the service runs or not. */
export const eventCommand: ServiceCommand = {
  says: "prints the event with this digest or id",
  async run(args, print = printLine) {
    const { options, rest } = readArguments(args, { data: "text", json: "switch" }, usage);
    const [wanted] = rest;
    const idOrPrefix = wanted === undefined ? undefined : (readEventId(wanted) ?? readDigest(wanted));
    if (idOrPrefix === undefined)
      throw wrongUse(`"${wanted ?? ""}" is neither a digest such as 7K2M-9QXD-4TBA nor an event id.`, usage);
    const store = openSqliteReader({ folder: join(dataFolderOf(options), "store") });
    try {
      const event = store.event(undefined, idOrPrefix);
      if (event === undefined) {
        print(`There is no event ${wanted}.`);
        return 1;
      }
      print(options.json === true ? JSON.stringify(event, undefined, 2) : eventAsMarkdown(event));
      return 0;
    } finally {
      store.close();
    }
  },
};
