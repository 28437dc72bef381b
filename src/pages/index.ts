/** The part of pages that the host needs before any page is loaded: nothing here imports React. */
export { type BrowserLimits, browserLimits, type ServerLimits, serverLimits } from "./limits.ts";
export { RunningActions } from "./server/action/running-actions.ts";
export {
  type EndedRow,
  type NewRow,
  type RowState,
  SubmissionMemory,
  type SubmissionRow,
  type SubmissionStore,
} from "./server/action/submission-memory.ts";
export type { NamedSchedule } from "./server/author/schedule.ts";
export { Posts } from "./server/body/posts.ts";
export { openUploadFolder } from "./server/body/upload-folder.ts";
export type { HandlerOptions, PageHandler } from "./server/index.ts";
export { sendBusy } from "./server/send/send-busy.ts";
export { lastResortPage } from "./server/send/static-pages.ts";
