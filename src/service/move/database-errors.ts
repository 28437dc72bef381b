import { messageOf } from "#errors";
import { serviceErrors } from "../errors.ts";
import { storeProblemOf } from "../stores/postgres/connect/problems.ts";
import { withoutPassword } from "../stores/store-address.ts";

/** Says what is wrong with a database in place of the driver's error. */
export async function withDatabaseErrors<Result>(address: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (storeProblemOf(error) === undefined) throw error;
    const why = messageOf(error);
    throw serviceErrors.moveDatabase(withoutPassword(address), why.replace(/\.$/, ""));
  }
}
