import { isObject, protocolLimits, readClientReport, readOpenEntry, type StatedPage } from "#protocol";
import { Tallies } from "./tallies.ts";

/** A change of one submission, in the file of its process. Other lines are statements, as the service gets them. */
export type LedgerLine = { begun: object } | { kept: string } | { ended: string; end: string };

export interface LedgerContent {
  pages: StatedPage[];
  /** By the source that has counted. */
  tallies: Map<string, Tallies>;
}

/** Reads the file of a process. A line that is cut or unreadable is left out. */
export function readLedger(text: string): LedgerContent {
  const content: LedgerContent = { pages: [], tallies: new Map() };
  for (const line of text.split("\n")) {
    const value = parsed(line);
    if (isObject(value)) readLine(value, content);
  }
  return content;
}

function readLine(line: Readonly<Record<string, unknown>>, { pages, tallies }: LedgerContent): void {
  const report = readClientReport({ balance: line }, protocolLimits);
  const statement = report.kind === "read" ? report.value.balance : undefined;
  if (statement === undefined) return;
  pages.push(...statement.pages);
  const counted = tallies.get(statement.source) ?? new Tallies();
  for (const tally of statement.tallies ?? []) counted.restore(tally);
  const begun = readOpenEntry(line.begun, protocolLimits);
  if (begun) counted.begin("submissions", begun);
  if (typeof line.kept === "string") counted.kept(line.kept);
  if (typeof line.ended === "string" && typeof line.end === "string") counted.end(line.ended, line.end);
  if (!counted.isEmpty) tallies.set(statement.source, counted);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
