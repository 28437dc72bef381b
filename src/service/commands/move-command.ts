import { serviceErrors } from "../errors.ts";
import { withDatabaseErrors } from "../move/database-errors.ts";
import { openMoveToDatabase, openMoveToFolder } from "../move/move-ends.ts";
import { type MoveProgress, moveStore } from "../move/move-store.ts";
import { verifyStores } from "../move/verify-stores.ts";
import { isDatabaseAddress } from "../stores/store-address.ts";
import { type CommandOutput, dataFolderOf, dataOption, readArguments, type ServiceCommand } from "./command.ts";

const usage = "move --from FOLDER|postgres://… --to postgres://…|FOLDER [--stopped] [--verify] [--data FOLDER]";

export const moveCommand: ServiceCommand = {
  usage,
  options: {
    "--from FOLDER|postgres://…": "the store that is copied; the data folder if it is not named",
    "--to postgres://…|FOLDER": "where to: an empty database, or a data folder without a store",
    "--stopped": "every service that uses the database has been stopped; only needed to move out of a database",
    "--verify": "compares the two stores and copies nothing",
    ...dataOption,
  },
  description: "copies everything into PostgreSQL or out of it, while the service runs, and compares both",
  async run(args, output) {
    const options = { from: "text", to: "text", data: "text", stopped: "switch", verify: "switch" } as const;
    const { options: given } = readArguments(args, options, usage);
    const [from, to] = [textOf(given.from), textOf(given.to)];
    const isToDatabase = isDatabaseAddress(to);
    const address = isToDatabase ? to : isDatabaseAddress(from) ? from : undefined;
    if (address === undefined || isToDatabase === isDatabaseAddress(from)) throw serviceErrors.moveNeedsBoth();
    const folder = isToDatabase ? from : to;
    const dataFolder = dataFolderOf(folder === undefined ? given : { data: folder });
    const addresses = { dataFolder, address };
    return withDatabaseErrors(address, async () => {
      if (given.verify === true) return verify(addresses, isToDatabase, output);
      const ends = isToDatabase
        ? await openMoveToDatabase(addresses)
        : await openMoveToFolder(addresses, given.stopped === true);
      try {
        const onProgress = reporter(output, isToDatabase);
        const outcome = await moveStore(ends, { waits: isToDatabase, onProgress });
        if (outcome === "moved") output.print(nextStep(isToDatabase, dataFolder));
        return outcome === "moved" ? 0 : 1;
      } finally {
        await ends.source.close();
        await ends.target.close();
      }
    });
  },
};

function textOf(value: string | boolean | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

async function verify(
  addresses: { dataFolder: string; address: string },
  isToDatabase: boolean,
  { print, warn }: CommandOutput,
): Promise<number> {
  const { events, bodies, answers, findings } = await verifyStores(addresses, isToDatabase);
  for (const finding of findings) warn(finding);
  print(`Compared ${events} events, ${bodies} of them opened, and ${answers} answers: ${findings.length} differences.`);
  return findings.length === 0 ? 0 : 1;
}

function nextStep(isToDatabase: boolean, dataFolder: string): string {
  return isToDatabase
    ? `Everything is in the database. Start the service of ${dataFolder} with HOLDFAST_STORE set to it. The folder stays as it was.`
    : `Everything is in ${dataFolder}. Start its service without HOLDFAST_STORE. The database stays as it was.`;
}

/** Rows between two lines of progress. */
const rowsPerLine = 100_000;

function reporter({ print }: CommandOutput, isToDatabase: boolean): (progress: MoveProgress) => void {
  let rows = 0;
  return (progress) => {
    switch (progress.kind) {
      case "begun":
        return print("The move begins.");
      case "continued":
        return print("The move goes on where it was.");
      case "rows": {
        const before = rows;
        rows += progress.rows;
        if (Math.floor(rows / rowsPerLine) > Math.floor(before / rowsPerLine)) print(`${progress.part}: ${rows} rows.`);
        return undefined;
      }
      case "round":
        return print(
          `Copied ${progress.rows} rows, and ${progress.lasting} issues and counters, in ${secondsOf(progress.ms)} s.`,
        );
      case "waiting":
        return print(
          isToDatabase
            ? "Stop the service now: the rest is copied as soon as it has ended."
            : "Stop every service that uses the database, then run the same command with --stopped.",
        );
      case "stopped":
        return print("The source is stopped. The rest is copied and compared.");
      case "verified": {
        const { events, bodies, answers } = progress.verification;
        return print(
          `Compared ${events} events, ${bodies} of them opened, and ${answers} answers, in ${secondsOf(progress.ms)} s.`,
        );
      }
    }
  };
}

function secondsOf(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
