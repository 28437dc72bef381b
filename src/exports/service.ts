/**
 * `holdfast/service`: the error service, for pages that look at it. The console is made with this door alone.
 * @module
 */
/** What an event and its stack consist of. */
export type { Breadcrumb, Frame, ReportedEvent, ReportedException } from "#protocol";
/** Who may see what. */
/** The questions and answers: `consoleApi()` is the service of the running application. */
export {
  type Accounts,
  type Administration,
  type Applicant,
  type AuditEntry,
  type Authorization,
  type Authorize,
  authorize,
  type Caller,
  type ConsoleApi,
  consoleApi,
  type Distribution,
  type EventAnswer,
  type EventSummary,
  type FindResult,
  type HistoryEntry,
  type IssueAnswer,
  type IssueListAnswer,
  type IssueListRow,
  type IssueRecord,
  type IssueSort,
  type IssueState,
  isAtLeast,
  type LiveRecord,
  lastDays,
  type Member,
  type NumberedChange,
  type Period,
  type Person,
  type PublicEvent,
  type PublicException,
  type PublicFrame,
  type Role,
  readFilter,
  roleIn,
  type ServiceSettings,
  type SignIn,
  type VisitorStep,
} from "#service";
