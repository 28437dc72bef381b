/** Exports for the host and the command line. */
export { createAddressOf, forwardedClientHeader } from "./accept/client-address.ts";
export type { AcceptOutcome } from "./accept/outcome.ts";
export type { Access } from "./accounts/access.ts";
export type { Authorize } from "./accounts/authorize.ts";
export { openAccountAccess } from "./accounts/open-account-access.ts";
export { answerMetrics } from "./answer-metrics.ts";
export { createApiHandler, type HandleApi } from "./api/handle-api-request.ts";
export { isTimeZone, lastCronTime, nextCronTime } from "./check-ins/cron.ts";
export {
  allSettingReaders,
  refuseWrongSettings,
  type SettingReader,
  settingReaders,
  wrongSettings,
} from "./check-settings.ts";
export { checkStore, type StoreCheck } from "./check-store.ts";
export { systemClock } from "./clock.ts";
export type { ServiceCommand } from "./commands/command.ts";
export { hasTokenFor, openRemote, unlessUnknown } from "./commands/remote/open-remote.ts";
export { createServiceCommand, type ServiceConsole, type ServiceConsoleDeps } from "./commands/service-command.ts";
export { serviceCommands } from "./commands/service-commands.ts";
export { type ConsoleApi, openConsoleApi } from "./console-api/console-api.ts";
export type { HealingSource } from "./console-api/healing-api.ts";
export type { KeptSource } from "./console-api/kept-api.ts";
export { setConsoleApi } from "./console-api/running-console-api.ts";
export { consoleEntrance } from "./console-entrance.ts";
export { apiPath, consolePath, metricsPath } from "./console-path.ts";
export { compileAddresses, isNetwork } from "./intake/addresses.ts";
export { keepLastAddress } from "./last-address.ts";
export { keepMachineNoted, ownVersion, secretHash } from "./machine-note.ts";
export type { DevelopedFailure, DevelopedRoute, DevelopmentSource } from "./mcp/development-source.ts";
export type { McpRoute } from "./mcp/handle-mcp-request.ts";
export { mcpCommand } from "./mcp/mcp-command.ts";
export { openMcpRoute } from "./mcp/open-mcp.ts";
export { openReader } from "./open-reader.ts";
export { openService, type Service } from "./open-service.ts";
export type { ImportOutcome } from "./portable/import-lines.ts";
export { Projects } from "./projects.ts";
export { eventByIdOrDigest, type PublicState, publicEvent } from "./queries/index.ts";
export { readEarlierSecrets, readSecret } from "./read-secrets.ts";
export { openSqliteFile } from "./rows/sqlite-file.ts";
export { openSharedState } from "./shared/open-shared-state.ts";
export type { ScheduleClaim, ScheduleClaims } from "./shared/schedule-claims.ts";
export type { SharedState } from "./shared/shared-state.ts";
export { type DatabaseInspection, inspectStoreDatabase, type PrimaryFacts } from "./stores/inspect-store.ts";
export {
  type BrowserFileContent,
  type MachineRecord,
  openSharedStore,
  type SharedBrowserFile,
  type SharedBrowserFiles,
  type SharedStore,
} from "./stores/shared-store.ts";
export type { StoreReader } from "./stores/store.ts";
export { storeAddressOf } from "./stores/store-address.ts";
export type { ThreadTask } from "./thread/messages.ts";

// What a new build has to answer.

export { findKnownIssue, type IssueToReplay, issuesToReplay, type SeenFailure } from "./queries/issues-to-replay.ts";
