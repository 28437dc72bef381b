export { bypassName, describeBypass } from "./bypass-name.ts";
export { endHit, hitOf } from "./hit-of.ts";
export type {
  BookedEnd,
  BrowserSignals,
  BypassReason,
  CacheDecision,
  EndingResponse,
  ErrorPlace,
  FirstSignals,
  FullLoadReason,
  HitFacts,
  NavigationFacts,
  NavigationOutcome,
  NavigationSignals,
  PrefetchOutcome,
  PrefetchSignals,
  Receipt,
  RequestFacts,
  RequestOutcome,
  RequestSignals,
  ServerSignals,
  ShownFacts,
  StepKind,
  SubmissionFacts,
  SubmissionSignals,
  Variant,
} from "./signals.ts";
export { silentBrowserSignals, silentFirstSignals, silentRequestSignals, silentServerSignals } from "./silent.ts";
