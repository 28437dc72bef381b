export type {
  BrowserSignals,
  ErrorPlace,
  FirstSignals,
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
export { silentBrowserSignals, silentFirstSignals, silentServerSignals } from "./silent.ts";
