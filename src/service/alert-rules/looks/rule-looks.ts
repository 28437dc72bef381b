import { budgetLook } from "./budget-look.ts";
import { findNewIssues } from "./find-new-issues.ts";
import { findRegressions } from "./find-regressions.ts";
import { frequentLook } from "./frequent-look.ts";
import { isCheckIn, isError } from "./issue-kinds.ts";
import { issueLook } from "./issue-look.ts";
import { rateLook } from "./rate-look.ts";
import { crashFree, errorRate } from "./rates.ts";
import type { RuleLook } from "./rule-look.ts";

/** What is looked for in a project, in this order. A new rule is one line. */
export const ruleLooks: readonly RuleLook[] = [
  issueLook({ kind: "new-issue", cursor: "new-issue", find: findNewIssues, isMeant: isError }),
  issueLook({ kind: "regression", cursor: "regression", find: findRegressions, isMeant: isError }),
  issueLook({ kind: "check-in", cursor: "check-in new", find: findNewIssues, isMeant: isCheckIn }),
  issueLook({ kind: "check-in", cursor: "check-in again", find: findRegressions, isMeant: isCheckIn }),
  frequentLook,
  rateLook({ kind: "error-rate", reason: "More errors than usual", rate: errorRate }),
  rateLook({ kind: "crash-free", reason: "More crashes than usual", rate: crashFree }),
  budgetLook,
];
