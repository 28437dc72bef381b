/** What reports need once the page is alive. The build puts it into one file with the same of pages. */
export { movingSignals } from "./moving-signals.ts";
export { Reporter } from "./reporter.ts";
