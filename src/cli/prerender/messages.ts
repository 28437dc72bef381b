import type { PrerenderedResult } from "#host";

/** What the process that makes pages says to the build. */
export type PrerenderMessage =
  | { kind: "page"; id: number; result: PrerenderedResult }
  | { kind: "progress"; made: number; of: number }
  | { kind: "done"; settings: string }
  /** With an error of the framework. */
  | { kind: "failed"; code: string; whatHappened: string; whatToDo: string }
  /** With another error, as text. */
  | { kind: "broken"; why: string };

/** The answer to each page: it is written. */
export interface PageWritten {
  id: number;
}
