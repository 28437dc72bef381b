/** Exports for the host, the command line and the public entry points. */
export type { AcceptOutcome } from "./accept/outcome.ts";
export { type Access, type Authorization, type Authorize, authorize, type Caller } from "./accounts/access.ts";
export type { Accounts, Applicant, Member, SignIn } from "./accounts/accounts.ts";
export { isAtLeast, type Person, type Role, roleIn } from "./accounts/people.ts";
export type { Administration } from "./administration/administration.ts";
export type { AuditEntry } from "./administration/audit-log.ts";
export type { ServiceSettings } from "./administration/service-settings.ts";
export type { AlertRule } from "./alerts/alert-settings.ts";
export { isTimeZone, lastCronTime, nextCronTime } from "./check-ins/cron.ts";
export { checkStore, type StoreCheck } from "./check-store.ts";
export { systemClock } from "./clock.ts";
export type { ServiceCommand } from "./commands/command.ts";
export { createServiceCommand, type ServiceConsole, type ServiceConsoleDeps } from "./commands/service-command.ts";
export { serviceCommands } from "./commands/service-commands.ts";
export { type ConsoleApi, type NumberedChange, openConsoleApi } from "./console-api/console-api.ts";
export { consoleApi, setConsoleApi } from "./console-api/running-console-api.ts";
export { consolePath } from "./console-path.ts";
export type { IssueState } from "./issues/issue-state.ts";
export { keepLastAddress } from "./last-address.ts";
export { keepMachineNoted, ownVersion, secretHash } from "./machine-note.ts";
export { openReader } from "./open-reader.ts";
export { openService, type Service } from "./open-service.ts";
export { Projects } from "./projects.ts";
export {
  type Distribution,
  type EventAnswer,
  eventByIdOrDigest,
  type FindResult,
  type IssueAnswer,
  type IssueListAnswer,
  type IssueListRow,
  lastDays,
  type Period,
  type PublicEvent,
  type PublicException,
  type PublicFrame,
  publicEvent,
  readFilter,
  type VisitorStep,
} from "./queries/index.ts";
export { openSharedState } from "./shared/open-shared-state.ts";
export type { ScheduleClaim, ScheduleClaims } from "./shared/schedule-claims.ts";
export type { SharedState } from "./shared/shared-state.ts";
export { type DatabaseInspection, inspectStoreDatabase, type PrimaryFacts } from "./stores/inspect-store.ts";
export type { EventSummary, HistoryEntry, IssueRecord, LiveRecord } from "./stores/records.ts";
export {
  type BrowserFileContent,
  type MachineRecord,
  openSharedStore,
  type SharedBrowserFile,
  type SharedBrowserFiles,
  type SharedStore,
} from "./stores/shared-store.ts";
export { storeAddressOf } from "./stores/store-address.ts";
export type { IssueSort } from "./stores/store-requests.ts";
export type { ThreadTask } from "./thread/messages.ts";
