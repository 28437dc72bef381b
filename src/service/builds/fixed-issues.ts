import type { FixedIssue } from "../stores/records.ts";

/** More than one commit fixes. */
const mostFixed = 20;
/** So much of a message is read. */
const longestMessage = 4_000;

/** `Fixes`, `closes` or `resolved`, and what follows in its line. */
const fixing = /\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?)\b:?(.*)/i;
/** `HOLDFAST-12`, or the address of the issue in the console. */
const named = /\bHOLDFAST-(\d{1,9})\b|\/_holdfast\/(\d{1,9})\/issues\/(\d{1,9})\b/gi;

/** Finds the issues that the message of a commit says it fixes. */
export function fixedIssuesIn(message: string): readonly FixedIssue[] {
  const found = new Map<string, FixedIssue>();
  for (const line of message.slice(0, longestMessage).split("\n"))
    for (const [, short, project, long] of (fixing.exec(line)?.[1] ?? "").matchAll(named)) {
      const number = Number(short ?? long);
      found.set(`${project} ${number}`, project === undefined ? { number } : { number, project: Number(project) });
    }
  return [...found.values()].filter(({ number }) => number > 0).slice(0, mostFixed);
}
