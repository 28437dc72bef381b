/** Exports for `holdfast/service`: what pages need that show the contents of the service. */
export { type Authorization, authorize } from "../accounts/access.ts";
export type { Accounts, Member, SignIn } from "../accounts/accounts.ts";
export type { Applicant } from "../accounts/applicant.ts";
export type { Authorize, Caller } from "../accounts/authorize.ts";
export { isAtLeast, type Person, type Role, roleIn } from "../accounts/people.ts";
export type { Administration } from "../administration/administration.ts";
export type { AuditEntry } from "../administration/audit-log.ts";
export type { SavedSearch, SaveOutcome, SearchScreen } from "../administration/saved-searches.ts";
export type { ServiceSettings } from "../administration/service-settings.ts";
export type { AlertRule } from "../alerts/alert-settings.ts";
export { erasedWords } from "../erasures/erasure-reports.ts";
export type { ErasureSubject } from "../erasures/erasure-subject.ts";
export type { IssueState } from "../issues/issue-state.ts";
export {
  type Distribution,
  type EventAnswer,
  type FindResult,
  type IssueAnswer,
  type IssueListAnswer,
  type IssueListRow,
  type ListedLine,
  type LogChart,
  lastDays,
  type Period,
  type PublicEvent,
  type PublicException,
  type PublicFrame,
  type QueryFinding,
  readFilter,
  type SearchAnswer,
  type SpanExample,
  type SpanGroup,
  type VisitorAnswer,
  type VisitorIdentity,
  type VisitorStep,
} from "../queries/index.ts";
export type { EventSummary, HistoryEntry, IssueRecord, LiveRecord } from "../stores/records.ts";
export type { IssueSort } from "../stores/store-requests.ts";
export type { ConsoleApi, NumberedChange } from "./console-api.ts";
export { consoleApi } from "./running-console-api.ts";
