export { type Deliver, type Delivery, type RateLimit, readAnswer } from "./delivery.ts";
export { reportingErrors } from "./errors.ts";
export { reportingLimits } from "./limits.ts";
export { readStack } from "./read-stack.ts";
export type { ScrubRule } from "./scrub.ts";
export { createLookout, type Lookout } from "./server/lookout.ts";
export {
  openServerReporting,
  type ServerReporting,
  type ServerReportingOptions,
} from "./server/open-server-reporting.ts";
export { readOutbox } from "./server/read-outbox.ts";
export type { ReportSettings, SampleFacts } from "./settings.ts";
