import type { KeptApi } from "./show-kept.ts";

export type KeptResult = Awaited<ReturnType<KeptApi["run"]>>[number];

export function isGood({ kind }: KeptResult): boolean {
  return kind === "ready" || kind === "done" || kind === "running";
}

/** What came of a run or a dry run, or why there was none. */
export function wordsOf(result: KeptResult): string {
  switch (result.kind) {
    case "ready":
      return result.isUnsure
        ? "It would run, but may have been done already: look first."
        : "It would run: the action exists, and its schema takes what was sent.";
    case "done":
      return "It ran, and is done.";
    case "failed":
      return `It failed again: ${firstLine(result.message)} (${result.digest})`;
    case "running":
      return "It is still running. Load this page again for its end.";
    case "not-begun":
      return "It was not begun: the others took too long. Press again.";
    case "unknown":
      return "Nothing is kept under this code.";
    case "not-waiting":
      return `It did not run: ${whyNot[result.state]}.`;
    case "unsure":
      return "It did not run: it may have been done already. Open it and look first.";
    case "other-key":
      return "It is sealed with another key: put that secret into HOLDFAST_SECRET_BEFORE.";
    case "damaged":
      return "It is damaged and cannot be read.";
    case "no-action":
      return `It stays kept: the current build has no action ${result.action} with keeps at ${result.route}. Bring the action back, or do it by hand and forget it.`;
    case "invalid":
      return `The current build refuses it: ${result.messages.join("; ")}`;
  }
}

const whyNot: Readonly<Record<Extract<KeptResult, { kind: "not-waiting" }>["state"], string>> = {
  running: "it is running",
  done: "it is done, and runs once only",
  forgotten: "it is forgotten",
  expired: "it has expired",
  failed: "another run of it has just failed",
  unsure: "another run of it has just ended, and it may be done",
};

const longestWords = 300;

function firstLine(message: string): string {
  return message.split("\n", 1)[0]?.slice(0, longestWords) ?? "";
}
