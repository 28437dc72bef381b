/** What the host needs of pages before any page is loaded: nothing here brings React with it. */
export { type BrowserLimits, browserLimits, type ServerLimits, serverLimits } from "./limits.ts";
export type { HandlerOptions, PageHandler } from "./server/index.ts";
export { Posts } from "./server/posts.ts";
export { RunningActions } from "./server/running-actions.ts";
export { sendBusy } from "./server/send/send-busy.ts";
export { lastResortPage } from "./server/send/static-pages.ts";
export {
  type EndedRow,
  type NewRow,
  type RowState,
  SubmissionMemory,
  type SubmissionRow,
  type SubmissionStore,
} from "./server/submission-memory.ts";
export { openUploadFolder } from "./server/upload-folder.ts";
