import { text } from "node:stream/consumers";
import { openSqliteReader } from "../../src/service/stores/sqlite/open-sqlite-store.ts";

/** Reads event ids, one per line, and prints those that are missing in the store of the given folder. */
const store = openSqliteReader({ folder: process.argv[2] ?? "" });
const ids = (await text(process.stdin)).split("\n").filter((id) => id !== "");
for (const id of ids) if ((await store.event(1, id)) === undefined) console.log(id);
store.close();
