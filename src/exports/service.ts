// biome-ignore-all assist/source/organizeImports: one block per group, each with its own comment.
/**
 * `holdfast/service`: the error service, for pages that show its contents. The console uses only this entry point.
 * @module
 */

/** `consoleApi()` is the service of the running application: every query and every change that the console needs. */
export { type ConsoleApi, consoleApi, type NumberedChange } from "#service/console-api";

/** The API of a service anywhere, with a token. */
export {
  type ApiClient,
  type ApiClientOptions,
  type ApiInput,
  type ApiOperations,
  type ApiResponse,
  createApiClient,
} from "#service/api";

/** Permissions: `authorize` finds the person of a caller, and their role in each project. */
export {
  type Accounts,
  type Applicant,
  type Authorization,
  type Authorize,
  authorize,
  type Caller,
  isAtLeast,
  type Member,
  type Person,
  type Role,
  roleIn,
  type SignIn,
} from "#service/console-api";

/** Settings that owners change, and the log of their changes. */
export type { Administration, AuditEntry, ServiceSettings } from "#service/console-api";

/** What is to be forgotten, and the amounts of an erasure in words. */
export { type ErasureSubject, erasedWords } from "#service/console-api";

/** A rule of a project's alerts. */
export type { AlertRule } from "#service/console-api";

/** Periods, filters and the search box: the input of a query. */
export {
  type FindResult,
  type IssueSort,
  lastDays,
  type Period,
  readFilter,
  type SearchAnswer,
} from "#service/console-api";

/** Issues: a list, one issue, its state and its history. */
export type {
  Distribution,
  HistoryEntry,
  IssueAnswer,
  IssueListAnswer,
  IssueListRow,
  IssueRecord,
  IssueState,
} from "#service/console-api";

/** Single events, the visitor's steps before one, and live events. */
export type {
  EventAnswer,
  EventSummary,
  LiveRecord,
  PublicEvent,
  PublicException,
  PublicFrame,
  VisitorStep,
} from "#service/console-api";

/** Lines of logs with their chart, groups of spans, and the queries that a route repeats or waits for. */
export type { ListedLine, LogChart, QueryFinding, SpanExample, SpanGroup } from "#service/console-api";

/** Searches that people have given a name. */
export type { SavedSearch, SaveOutcome, SearchScreen } from "#service/console-api";

/** A visitor: who it is, and what happened in their visits. */
export type { VisitorAnswer, VisitorIdentity } from "#service/console-api";

/** An event as a client reports it: message, exceptions with their stacks, breadcrumbs. */
export type { Breadcrumb, Frame, ReportedEvent, ReportedException } from "#protocol";
