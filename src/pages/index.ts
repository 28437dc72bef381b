/** What the host needs of pages before any page is loaded: nothing here brings React with it. */
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
export { Posts } from "./server/body/posts.ts";
export { openUploadFolder } from "./server/body/upload-folder.ts";
export type { HandlerOptions, PageHandler } from "./server/index.ts";
export { sendBusy } from "./server/send/send-busy.ts";
export { lastResortPage } from "./server/send/static-pages.ts";
