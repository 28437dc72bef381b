import { openMoveToDatabase } from "../../src/service/move/move-ends.ts";
import { moveStore } from "../../src/service/move/move-store.ts";

/** A move that a test kills: `node move-process.ts DATA-FOLDER ADDRESS`. Prints a line for every chunk and round. */
const [dataFolder = "", address = ""] = process.argv.slice(2);
const ends = await openMoveToDatabase({ dataFolder, address });
await moveStore(ends, { waits: true, onProgress: ({ kind }) => console.log(kind) });
console.log("moved");
