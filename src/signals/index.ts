export type {
  BrowserSignals,
  ErrorPlace,
  FullLoadReason,
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
  StepKind,
  Variant,
} from "./signals.ts";
export { silentBrowserSignals, silentServerSignals } from "./silent.ts";
