import { RefusalLog } from "../accounts/refusal-log.ts";
import type { AuditLog } from "../administration/audit-log.ts";
import { systemClock } from "../clock.ts";
import type { Rows } from "../rows/rows.ts";
import { tokenLimitsOf } from "./limits.ts";
import { Tokens } from "./tokens.ts";

/** Opens the tokens in the tables of the accounts, with the limits of the operator. */
export function openTokens(rows: Rows, audit: AuditLog): Tokens {
  const limits = tokenLimitsOf(process.env);
  return new Tokens({ rows, clock: systemClock, limits, audit, refusals: new RefusalLog(rows, systemClock) });
}
