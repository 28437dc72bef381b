import type { StoreProblem } from "../../store-health.ts";

/** The code of an error that the database answered with. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}

/** The connection was not made, or the answer did not come in time. The driver's own error is the cause. */
export class DatabaseAway extends Error {
  readonly problem: StoreProblem;

  constructor(problem: StoreProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "DatabaseAway";
    this.problem = problem;
  }
}

// Codes of PostgreSQL ("PostgreSQL Error Codes" in its manual), of the operating system, and of TLS.
const codes: readonly (readonly [RegExp, StoreProblem])[] = [
  [/^(?:08...|E(?!RR_)[A-Z_]+)$/, "unreachable"],
  [/^57P0.$/, "shutting-down"],
  [/^25006$/, "read-only"],
  [/^(?:28...|3D000|42501)$/, "refused"],
  [/^53300$/, "too-many-connections"],
  [/^(?:53100|53400|58...)$/, "out-of-space"],
  [/^53...$/, "out-of-memory"],
  [/^(?:57014|25P03)$/, "too-slow"],
  [/^(?:40...|55P03)$/, "collision"],
  [/^(?:42P01|42703|42883|3F000)$/, "schema"],
];

// The driver gives these no code.
const brokenConnection = /^(?:Connection terminated|Client (?:was closed|has encountered a connection error))/;

/** Why the same would work later, or undefined where something is wrong with what was to be written. */
export function storeProblemOf(error: unknown): StoreProblem | undefined {
  if (error instanceof DatabaseAway) return error.problem;
  const code = codeOf(error);
  if (code !== undefined) return codes.find(([pattern]) => pattern.test(code))?.[1];
  return error instanceof Error && brokenConnection.test(error.message) ? "unreachable" : undefined;
}

/** Whether the same will work later: nothing is wrong with what was to be written. */
export function isUnavailable(error: unknown): boolean {
  return storeProblemOf(error) !== undefined;
}
