/** The part of pages that the host needs before any page is loaded: nothing here imports React. */
export {
  type AddressRule,
  configFiles,
  type ImageSettings,
  type LanguageSettings,
  pathBack,
  problemOfAssets,
  problemOfExtensions,
  problemOfImages,
  problemOfTrailingSlash,
  type RedirectSetting,
  type RewriteSetting,
  readAddressRules,
  readLanguages,
  textDirection,
} from "#routes";
export { answersPath } from "./answer-address.ts";
export { wrongLimit } from "./errors.ts";
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
export type { LifecycleContext, LifecycleHook, LifecycleHooks } from "./server/author/lifecycle.ts";
export type { NamedSchedule } from "./server/author/schedule.ts";
export { Posts } from "./server/body/posts.ts";
export { openUploadFolder, removeUploadsOf } from "./server/body/upload-folder.ts";
export { type EdgePolicy, edgeDefaults, type TagHeader, tagHeaders } from "./server/cache/cdn-headers.ts";
export type { HandlerOptions, PageHandler } from "./server/index.ts";
export type {
  KeptChange,
  KeptNote,
  KeptOf,
  KeptRow,
  KeptState,
  KeptStore,
  SealedCopy,
} from "./server/kept/kept-store.ts";
export { KeptSubmissions } from "./server/kept/kept-submissions.ts";
export type { KeptCheck, KeptRun, KeptRunner, RunBy } from "./server/kept/run-kept.ts";
export type { KeptContent } from "./server/kept/sealed-submission.ts";
export { visitorLanguage } from "./server/languages/visitor-language.ts";
export type { LeaveFile } from "./server/leave-file.ts";
export type { ChannelReceiver, ChannelRelay } from "./server/live/channel-hub.ts";
export { OpenStreams } from "./server/live/open-streams.ts";
export type { AcceptSocket, FrameLimits, Upgrade, WebSocketLike } from "./server/live/web-socket.ts";
export type { MadePage, UnmadePage } from "./server/prerender/make-page.ts";
export type { PlannedPage } from "./server/prerender/plan-pages.ts";
export type { PrerenderedPage, PrerenderedPages } from "./server/prerender/prerendered.ts";
export type { RouteContract } from "./server/route-contract.ts";
export type { RoutedRequest, RouteWatch } from "./server/route-watch.ts";
export { type AnswerShown, answerPage, answerPolicy } from "./server/send/answer-page.ts";
export { sendBusy } from "./server/send/send-busy.ts";
export { inEnglish, lastResortPage } from "./server/send/static-pages.ts";
export type { Forwarded } from "./server/site.ts";
export {
  type LimitRange,
  type OwnLimits,
  ownRanges,
  problemOfLimit,
  problemOfShare,
  problemsOfOwnLimits,
  uploadLimitsWithoutUploads,
  withoutDisk,
} from "./settable-limits.ts";
export { textNames } from "./texts/text-names.ts";
export type { Texts } from "./texts/texts.ts";
