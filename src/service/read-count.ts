import type { HoldfastError } from "#errors";
import { serviceErrors } from "./errors.ts";

/** Every setting of the operator that is a number: `readCount` reads no others, so that a start can check all. */
const countVariables = [
  "HOLDFAST_NEW_ISSUES_PER_HOUR",
  "HOLDFAST_OWNERSHIP_RULES",
  "HOLDFAST_OWNERSHIP_LINE",
  "HOLDFAST_BALANCE_GRACE_MINUTES",
  "HOLDFAST_GAVE_UP_MINUTES",
  "HOLDFAST_SCHEDULED_TASKS",
  "HOLDFAST_ALERT_MESSAGES",
  "HOLDFAST_UPLOAD_BYTES",
  "HOLDFAST_API_PER_MINUTE",
  "HOLDFAST_API_BODY_BYTES",
  "HOLDFAST_IMPORT_BYTES",
  "HOLDFAST_TOKENS_EACH",
  "HOLDFAST_MCP_CHARACTERS",
  "HOLDFAST_MCP_CALLS",
  "HOLDFAST_LOG_LINES_SEARCHED",
  "HOLDFAST_LOG_LINES_EXPORTED",
  "HOLDFAST_TRACES_SEARCHED",
  "HOLDFAST_SLOW_QUERY_MS",
  "HOLDFAST_SAVED_SEARCHES",
] as const;

type CountVariable = (typeof countVariables)[number];

const searchLimit = (variable: string) => (value: string) => serviceErrors.wrongSearchLimit(variable, value);

const wrongCounts: Readonly<Record<CountVariable, (value: string) => HoldfastError>> = {
  HOLDFAST_NEW_ISSUES_PER_HOUR: serviceErrors.wrongNewIssues,
  HOLDFAST_OWNERSHIP_RULES: serviceErrors.wrongOwnershipRules,
  HOLDFAST_OWNERSHIP_LINE: serviceErrors.wrongOwnershipLine,
  HOLDFAST_BALANCE_GRACE_MINUTES: serviceErrors.wrongBalanceGrace,
  HOLDFAST_GAVE_UP_MINUTES: serviceErrors.wrongGaveUp,
  HOLDFAST_SCHEDULED_TASKS: serviceErrors.wrongScheduledTasks,
  HOLDFAST_ALERT_MESSAGES: serviceErrors.wrongAlertMessages,
  HOLDFAST_UPLOAD_BYTES: serviceErrors.wrongUploadBytes,
  HOLDFAST_API_PER_MINUTE: serviceErrors.wrongApiRate,
  HOLDFAST_API_BODY_BYTES: serviceErrors.wrongApiBody,
  HOLDFAST_IMPORT_BYTES: serviceErrors.wrongImportBytes,
  HOLDFAST_TOKENS_EACH: serviceErrors.wrongTokensEach,
  HOLDFAST_MCP_CHARACTERS: serviceErrors.wrongMcpCharacters,
  HOLDFAST_MCP_CALLS: serviceErrors.wrongMcpCalls,
  HOLDFAST_LOG_LINES_SEARCHED: searchLimit("HOLDFAST_LOG_LINES_SEARCHED"),
  HOLDFAST_LOG_LINES_EXPORTED: searchLimit("HOLDFAST_LOG_LINES_EXPORTED"),
  HOLDFAST_TRACES_SEARCHED: searchLimit("HOLDFAST_TRACES_SEARCHED"),
  HOLDFAST_SLOW_QUERY_MS: searchLimit("HOLDFAST_SLOW_QUERY_MS"),
  HOLDFAST_SAVED_SEARCHES: searchLimit("HOLDFAST_SAVED_SEARCHES"),
};

/** Reads a setting of the operator: a whole number above 0. Undefined if it is not set. */
export function readCount(env: NodeJS.ProcessEnv, variable: CountVariable): number | undefined {
  const text = env[variable];
  if (text === undefined) return undefined;
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1) throw wrongCounts[variable](text);
  return count;
}

/** One for each number. */
export const countReaders: readonly ((env: NodeJS.ProcessEnv) => number | undefined)[] = countVariables.map(
  (variable) => (env) => readCount(env, variable),
);
