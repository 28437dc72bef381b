export { type Deliver, type DeliveryResult, readDeliveryResponse } from "./delivery.ts";
export { readStack } from "./describe/read-stack.ts";
export { reportingErrors } from "./errors.ts";
export { type ReportingLimits, reportingLimits } from "./limits.ts";
export { createScrub, expressionOf, type ScrubRule } from "./scrub/scrub.ts";
export { serverSdk } from "./sdk.ts";
export { dsnOfSettings } from "./server/dsn-of-settings.ts";
export {
  openServerReporting,
  type ServerReporting,
  type ServerReportingOptions,
} from "./server/open-server-reporting.ts";
export { readOutbox } from "./server/outbox/read-outbox.ts";
export { createStallWatcher, type StallWatcher } from "./server/watch/stall-watcher.ts";
export type { ReportSettings, SampleFacts } from "./settings.ts";
