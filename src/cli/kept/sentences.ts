import type { KeptCheck, KeptDetails, KeptRun, KeptSummary } from "#host";

const states: Readonly<Record<KeptSummary["state"], string>> = {
  running: "running",
  failed: "failed",
  unsure: "may have been done",
  done: "done",
  forgotten: "forgotten",
  expired: "expired",
};

/** One line of `holdfast kept list`. */
export function summaryLine({ digest, state, keptAt, of, bytes, unreadable, runs }: KeptSummary): string {
  const what = of ? `${of.route} ${of.action}` : unreadable ? whyUnreadable[unreadable] : "";
  const again = runs > 0 ? `, run again ${runs === 1 ? "once" : `${runs} times`}` : "";
  return `${digest}  ${keptAt.toISOString()}  ${states[state]}${again}  ${what}  ${bytes} bytes`;
}

const whyUnreadable = {
  "other-key": "sealed with another key",
  damaged: "damaged",
} as const;

export function detailLines(details: KeptDetails): string[] {
  const { sent, fields, files, by, lastDigest } = details;
  return [
    summaryLine(details),
    ...(sent ? [`  ${sent.path}, build ${sent.build}`] : []),
    ...(lastDigest === undefined ? [] : [`  last failure: ${lastDigest}`]),
    ...(by === undefined ? [] : [`  by ${by}, ${details.changedAt.toISOString()}`]),
    ...fields.map(([name, value]) => `  ${name}: ${value}`),
    ...files.map(({ field, name, type, size }) => `  ${field}: file ${name}, ${type || "no type"}, ${size} bytes`),
  ];
}

/** The result of a dry run, or why nothing was run. */
export function checkSentence(check: KeptCheck): string {
  switch (check.kind) {
    case "ready":
      return check.isUnsure
        ? `would run ${check.route} ${check.action}, but may have been done already: look, then use --even-if-done`
        : `would run ${check.route} ${check.action}`;
    case "unknown":
      return "nothing is kept under it";
    case "not-waiting":
      return `does not wait to be run: ${states[check.state]}`;
    case "unsure":
      return "may have been done already: look, then use --even-if-done";
    case "other-key":
      return "is sealed with another key: put that secret into HOLDFAST_SECRET_BEFORE";
    case "damaged":
      return "is damaged and cannot be read";
    case "no-action":
      return `stays kept: this build has no action ${check.action} with \`keeps\` at ${check.route}; bring it back, or \`show\` and \`forget\` it`;
    case "invalid":
      return `is refused by the current build: ${check.messages.join("; ")}`;
  }
}

export function runSentence(run: Extract<KeptRun, { kind: "done" | "failed" }>): string {
  if (run.kind === "failed") return `failed again: ${run.message.split("\n", 1)[0]} (${run.digest})`;
  return run.redirectedTo === undefined ? "done" : `done, and led to ${run.redirectedTo}`;
}
