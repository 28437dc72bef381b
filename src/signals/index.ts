export type {
  BrowserSignals,
  ErrorPlace,
  FullLoadReason,
  NavigationFacts,
  NavigationOutcome,
  NavigationSignals,
  PrefetchOutcome,
  Receipt,
  RequestFacts,
  RequestOutcome,
  RequestSignals,
  ServerSignals,
  StepKind,
  Variant,
} from "./signals.ts";
export { silentBrowserSignals, silentServerSignals } from "./silent.ts";
