import { inspect } from "node:util";
import { cliErrors } from "./errors.ts";

/** What a command says of an error that it has thrown, where it is not a fault of the program. */
export function knownFailure(error: unknown): string | undefined {
  if (isDatabaseAway(error)) return cliErrors.databaseAway(error.message).message;
  // Compared by name, because an application has its own copy of the class.
  return error instanceof Error && error.name === "HoldfastError" ? error.message : undefined;
}

/** The same as a text, of every error. */
export function failureText(error: unknown): string {
  return knownFailure(error) ?? inspect(error);
}

/** Compared by name, because the class belongs to a store that is loaded on demand. */
function isDatabaseAway(error: unknown): error is Error {
  return error instanceof Error && error.name === "DatabaseAway";
}
