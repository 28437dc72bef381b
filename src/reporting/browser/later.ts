/** Reporting code that loads after hydration. The build bundles it with that of pages into one file. */
export { movingSignals } from "./moving-signals.ts";
export { Reporter } from "./reporter.ts";
