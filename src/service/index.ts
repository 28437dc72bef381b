export { type AcceptLimits, acceptLimits } from "./accept/limits.ts";
export type { AcceptOutcome } from "./accept/outcome.ts";
export {
  type Acceptance,
  Accounts,
  type Applicant,
  accountLimits,
  type Invite,
  type Member,
  normalEmail,
  type SignIn,
} from "./accounts/accounts.ts";
export { checkStore, type StoreCheck } from "./check-store.ts";
export { type Clock, systemClock } from "./clock.ts";
export { backupCommand } from "./commands/backup-command.ts";
export type { ServiceCommand } from "./commands/command.ts";
export { dsnCommand, dsnOf } from "./commands/dsn-command.ts";
export { eventCommand } from "./commands/event-command.ts";
export { issuesCommand } from "./commands/issues-command.ts";
export { restoreCommand } from "./commands/restore-command.ts";
export {
  type ConsoleParts,
  createServiceCommand,
  type ServiceConsole,
  serviceCommand,
} from "./commands/service-command.ts";
export { userCommand } from "./commands/user-command.ts";
export { type Access, type Admission, type Authorize, admit, type Caller } from "./desk/access.ts";
export { type Desk, type NumberedChange, openDesk } from "./desk/desk.ts";
export { openedDesk, putDesk } from "./desk/opened-desk.ts";
export { isAtLeast, type Person, type Role, roleIn } from "./desk/people.ts";
export { serviceErrors } from "./errors.ts";
export type { Fix, IssueAction, IssueState, MuteEnd, MuteWish } from "./issues/issue-state.ts";
export { type JournalLimits, journalLimits } from "./journal/limits.ts";
export { keepLastAddress } from "./last-address.ts";
export type { AuditEntry } from "./office/audit-log.ts";
export type { Office } from "./office/office.ts";
export type { ServiceSettings } from "./office/service-settings.ts";
export { openReader } from "./open-reader.ts";
export { openService, type Service, type ServiceOptions } from "./open-service.ts";
export { type Project, Projects } from "./projects.ts";
export * from "./queries/index.ts";
export { type RetentionLimits, retentionLimits } from "./retention/limits.ts";
export { createServiceServer, type ServeLimits, serveLimits } from "./serve.ts";
export type {
  AttachmentRecord,
  CheckDepth,
  ChunkCounts,
  ChunkRecord,
  Commit,
  EventBody,
  EventRecord,
  EventSummary,
  FeedbackRecord,
  GroupRecord,
  HistoryEntry,
  IssueChange,
  IssueRecord,
  IssueSort,
  LiveRecord,
  MonitorRecord,
  PartitionRecord,
  SegmentRecord,
  StoreReader,
  VisitorRecord,
} from "./stores/store.ts";
export type { ThreadGuest } from "./thread/messages.ts";
export type { TraceLine } from "./traces/assemble-trace.ts";
