export type { KeptCheck, KeptRun } from "#pages";
export { ownLimitNames, problemsOfOwnLimits, wrongLimit } from "#pages";
export { isFrameworkError } from "./built-pages.ts";
export { readConfig } from "./config.ts";
export { type DevelopOptions, mountDevelopment, type Sources, startDevelopment } from "./develop.ts";
export { environmentReaders } from "./environment-readers.ts";
export { hostErrors } from "./errors.ts";
export type { Failure } from "./failures/failure.ts";
export { failureLines } from "./failures/failure-lines.ts";
export { type GateLimits, gateLimitsOf, gateProcessMs } from "./gate-limits.ts";
export { changedDefaults } from "./header-rules.ts";
export { KeptFolder, type KeptLimits, keptLimits } from "./kept/kept-folder.ts";
export type { KeptDetails, KeptOperations, KeptSummary } from "./kept/kept-operations.ts";
export { type ReadKept, readKept } from "./kept/read-kept.ts";
export { limitsThatHold, serverLimitsOf, settableLimits, writeLimit } from "./limit-settings.ts";
export { type HostLimits, hostLimits } from "./limits.ts";
export type { FetchHandler, FetchSender } from "./mount/fetch-handler.ts";
export type { MountedApplication, Next } from "./mount/mount-application.ts";
export { type PrerenderedResult, prerenderBuild } from "./prerender/prerender-build.ts";
export { containerMemory } from "./process/memory.ts";
export { untilEnded, untilStarted } from "./process/until-ended.ts";
export { isWorker } from "./process/worker-mark.ts";
export {
  type GateVerdict,
  isFirstWorker,
  mayHaveWorkers,
  openParentSignals,
  readWorkerCount,
  runWorkers,
} from "./process/workers.ts";
export { lineToParent } from "./releases/release-line.ts";
export { pinRoute, type RouteStatus, readReleaseStatus } from "./releases/release-status.ts";
export type { RunningServer, ServeOptions } from "./serve.ts";
export { ownProject } from "./service/embedded-service.ts";
export { probeService, type ServiceProbe } from "./service/probe-service.ts";
export { openServiceConsole } from "./service/service-console.ts";
export type { HoldfastConfig } from "./settings.ts";
export { mountBuild, type StartOptions, startApplication } from "./start.ts";
export { sealKeysOf } from "./submissions/seal-key.ts";
export { openSubmissionDb, type SubmissionDb, submissionDbLimits } from "./submissions/submission-db.ts";
export { removeUploads } from "./uploads.ts";
