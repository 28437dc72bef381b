import { serviceErrors } from "./errors.ts";

/** Every setting of the operator that is a number: `readCount` reads no others, so that a start can check all. */
const errorNames = {
  HOLDFAST_NEW_ISSUES_PER_HOUR: "wrongNewIssues",
  HOLDFAST_OWNERSHIP_RULES: "wrongOwnershipRules",
  HOLDFAST_OWNERSHIP_LINE: "wrongOwnershipLine",
  HOLDFAST_BALANCE_GRACE_MINUTES: "wrongBalanceGrace",
  HOLDFAST_GAVE_UP_MINUTES: "wrongGaveUp",
  HOLDFAST_SCHEDULED_TASKS: "wrongScheduledTasks",
  HOLDFAST_ALERT_MESSAGES: "wrongAlertMessages",
  HOLDFAST_UPLOAD_BYTES: "wrongUploadBytes",
  HOLDFAST_API_PER_MINUTE: "wrongApiRate",
  HOLDFAST_API_BODY_BYTES: "wrongApiBody",
  HOLDFAST_IMPORT_BYTES: "wrongImportBytes",
  HOLDFAST_TOKENS_EACH: "wrongTokensEach",
  HOLDFAST_MCP_CHARACTERS: "wrongMcpCharacters",
  HOLDFAST_MCP_CALLS: "wrongMcpCalls",
  HOLDFAST_LOG_LINES_SEARCHED: "wrongSearchLimit",
  HOLDFAST_LOG_LINES_EXPORTED: "wrongSearchLimit",
  HOLDFAST_TRACES_SEARCHED: "wrongSearchLimit",
  HOLDFAST_SLOW_QUERY_MS: "wrongSearchLimit",
  HOLDFAST_SAVED_SEARCHES: "wrongSearchLimit",
} as const;

type CountVariable = keyof typeof errorNames;

/** Reads a setting of the operator: a whole number above 0. Undefined if it is not set. */
export function readCount(env: NodeJS.ProcessEnv, variable: CountVariable): number | undefined {
  const text = env[variable];
  if (text === undefined) return undefined;
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1) throw serviceErrors[errorNames[variable]](text, variable);
  return count;
}

/** One for each number. */
export const countReaders: readonly ((env: NodeJS.ProcessEnv) => number | undefined)[] = (
  Object.keys(errorNames) as CountVariable[]
).map((variable) => (env) => readCount(env, variable));
