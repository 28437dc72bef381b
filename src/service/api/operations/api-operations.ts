import type { AccountOperations } from "./account-operations.ts";
import type { AlertOperations } from "./alert-operations.ts";
import type { ErasureOperations } from "./erasure-operations.ts";
import type { EventOperations } from "./event-operations.ts";
import type { InsightOperations } from "./insight-operations.ts";
import type { IntakeOperations } from "./intake-operations.ts";
import type { IssueOperations } from "./issue-operations.ts";
import type { LoginOperations } from "./login-operations.ts";
import type { OperateOperations } from "./operate-operations.ts";
import type { OwnershipOperations } from "./ownership-operations.ts";
import type { PortableOperations } from "./portable-operations.ts";
import type { ProjectOperations } from "./project-operations.ts";
import type { ReportOperations } from "./report-operations.ts";
import type { SavedOperations } from "./saved-operations.ts";

/** Every operation of the API, with the types of its input and of its response. */
export interface ApiOperations
  extends AccountOperations,
    AlertOperations,
    ErasureOperations,
    EventOperations,
    InsightOperations,
    IntakeOperations,
    IssueOperations,
    LoginOperations,
    OperateOperations,
    OwnershipOperations,
    PortableOperations,
    ProjectOperations,
    ReportOperations,
    SavedOperations {
  "GET /openapi.json": { response: object };
}
