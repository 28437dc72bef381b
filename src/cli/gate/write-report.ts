import { type GateOutcome, stops } from "./decide.ts";
import type { GatedIssue, GateReport } from "./run-gate.ts";

const words: Readonly<Record<GateOutcome["kind"], string>> = {
  "fixed-and-passing": "fixed and passing",
  "fixed-and-still-failing": "fixed and still failing",
  "open-still-failing": "open, still failing",
  "open-passes-now": "open, passes now",
  "new-failure": "new failure",
  "not-replayed": "not replayed",
};

/** The result for people: what stops the deployment first. */
export function reportLines(report: GateReport): string[] {
  const rows = sorted(report).map((issue) => [
    stops(issue.outcome) ? "STOP" : "",
    `#${issue.number}`,
    words[issue.outcome.kind],
    issue.request ?? "-",
    issue.title,
    detailOf(issue),
  ]);
  const widths = [0, 1, 2, 3].map((at) => Math.max(0, ...rows.map((row) => row[at]?.length ?? 0)));
  return [
    ...report.crashes.map((message) => `STOP  An uncaught exception would have ended the server: ${message}`),
    ...rows.map(([mark = "", number = "", word = "", request = "", title = "", detail = ""]) =>
      [
        mark.padEnd(widths[0] ?? 0),
        number.padEnd(widths[1] ?? 0),
        word.padEnd(widths[2] ?? 0),
        request.padEnd(Math.min(widths[3] ?? 0, 40)),
        title,
        detail && `(${detail})`,
      ]
        .join("  ")
        .trimEnd(),
    ),
    summaryOf(report),
  ];
}

/** The result as Markdown, for the summary of a CI job. */
export function reportMarkdown(report: GateReport): string {
  const rows = sorted(report).map((issue) =>
    [
      "",
      stops(issue.outcome) ? "stop" : "",
      `#${issue.number}`,
      words[issue.outcome.kind],
      code(issue.request),
      cell(issue.title),
      cell(detailOf(issue)),
      "",
    ]
      .join(" | ")
      .trim(),
  );
  return [
    "### Holdfast gate",
    "",
    cell(summaryOf(report)),
    ...report.crashes.map((message) => `\n**Uncaught exception:** ${cell(message)}`),
    ...(rows.length > 0 ? ["", "| | issue | outcome | request | error | |", "|---|---|---|---|---|---|", ...rows] : []),
    "",
  ].join("\n");
}

/** One sentence: `The gate stopped release 4f2a: #12 is said to be fixed and still fails.` */
export function summaryOf({ verdict, release, crashes, issues }: GateReport): string {
  const named = release === undefined ? "this build" : `release ${release}`;
  const replayed = issues.filter(({ outcome }) => outcome.kind !== "not-replayed").length;
  const counted = `${issues.length} ${issues.length === 1 ? "issue" : "issues"}, ${replayed} replayed`;
  if (verdict === "passed") return `The gate passed ${named}: ${counted}.`;
  const reasons = [
    ...crashes.map(() => "an uncaught exception"),
    ...issues.flatMap(({ number, outcome }) => reasonOf(number, outcome) ?? []),
  ];
  return `The gate stopped ${named}: ${[...new Set(reasons)].join("; ")} (${counted}).`;
}

/** Finds the sentence of a stop in the output of the command. */
export function stoppedSentence(output: string): string | undefined {
  return output.split("\n").findLast((line) => line.startsWith("The gate stopped "));
}

function reasonOf(number: number, outcome: GateOutcome): string | undefined {
  if (outcome.kind === "fixed-and-still-failing") return `#${outcome.issue} is said to be fixed and still fails`;
  if (outcome.kind === "new-failure") return `the request of #${number} fails in a new way`;
  return undefined;
}

function sorted({ issues }: GateReport): GatedIssue[] {
  return issues.toSorted((a, b) => Number(stops(b.outcome)) - Number(stops(a.outcome)));
}

function detailOf({ number, outcome }: GatedIssue): string {
  switch (outcome.kind) {
    case "not-replayed":
      return outcome.why;
    case "new-failure":
      return outcome.failure;
    case "fixed-and-still-failing":
      return outcome.issue === number ? "" : `with issue #${outcome.issue}: ${outcome.failure}`;
    case "fixed-and-passing":
    case "open-passes-now":
      return `answered ${outcome.status}`;
    case "open-still-failing":
      return "";
  }
}

/** Text of events in a cell of a table: no markup, one line. */
function cell(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>|#]/g, "\\$&").replaceAll(/\s+/g, " ");
}

function code(text: string | undefined): string {
  return text === undefined ? "" : `\`${text.replaceAll(/[`|\s]+/g, " ")}\``;
}
