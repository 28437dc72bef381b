import type { Frame, ReportedEvent, ReportedException } from "#protocol";
import { isEngineFrame } from "./in-app.ts";

/**
 * The exception that was thrown, not the cause it carries: the one without a parent, else the last, as clients order
 * them. Go's client orders them as all others do, but calls the deepest cause the parent.
 */
export function mainException(event: ReportedEvent): ReportedException | undefined {
  if (event.platform === "go") return event.exceptions.at(-1);
  const roots = event.exceptions.filter(
    ({ mechanism }) => mechanism?.exceptionId !== undefined && mechanism.parentId === undefined,
  );
  return roots.length === 1 ? roots[0] : event.exceptions.at(-1);
}

/** What was thrown first, then its causes from the nearest to the deepest. */
export function exceptionChain(event: ReportedEvent): readonly ReportedException[] {
  const main = mainException(event);
  if (main === undefined) return [];
  return [main, ...event.exceptions.filter((exception) => exception !== main).reverse()];
}

/**
 * What an exception is to the one it hangs on: its cause, what was being handled, or one of several that were
 * collected.
 */
export type Relation = "thrown" | "cause" | "context" | "member";

export interface PlacedException {
  readonly exception: ReportedException;
  readonly relation: Relation;
  /** Which of the collected ones, from 1. */
  readonly member?: number;
  /** How many collections it lies in. */
  readonly depth: number;
}

/**
 * What was thrown, then all that hangs on it: causes from the nearest to the deepest, collected errors with their own
 * causes.
 */
export function exceptionTree(event: ReportedEvent): readonly PlacedException[] {
  const main = mainException(event);
  if (main === undefined) return [];
  const placed: PlacedException[] = [{ exception: main, relation: "thrown", depth: 0 }];
  const left = new Set(event.exceptions.toReversed());
  left.delete(main);
  if (event.platform !== "go") placeChildren(main, 0, left, placed);
  // Without ids they are one chain, and what hangs on none of them is not lost.
  for (const exception of left) placed.push({ exception, relation: "cause", depth: 0 });
  return placed;
}

/** Each is placed once, even if a client repeats ids. There are 50 at most. */
function placeChildren(
  parent: ReportedException,
  depth: number,
  left: Set<ReportedException>,
  placed: PlacedException[],
): void {
  const id = parent.mechanism?.exceptionId;
  if (id === undefined) return;
  const children = [...left].filter(({ mechanism }) => mechanism?.parentId === id && mechanism.exceptionId !== id);
  for (const child of children.sort(byId)) {
    if (!left.delete(child)) continue;
    const { relation, member } = relationOf(child);
    const childDepth = member === undefined ? depth : depth + 1;
    placed.push({ exception: child, relation, depth: childDepth, ...(member !== undefined && { member }) });
    placeChildren(child, childDepth, left, placed);
  }
}

function byId(a: ReportedException, b: ReportedException): number {
  return (a.mechanism?.exceptionId ?? 0) - (b.mechanism?.exceptionId ?? 0);
}

/** `exceptions[0]` of Python and `errors[0]` of JavaScript are members; `__context__` of Python was being handled. */
function relationOf({ mechanism }: ReportedException): { relation: Relation; member?: number } {
  const source = mechanism?.source ?? "";
  const member = /^\w+\[(\d{1,6})\]$/.exec(source)?.[1];
  if (member !== undefined) return { relation: "member", member: Number(member) + 1 };
  return { relation: source === "__context__" ? "context" : "cause" };
}

/** `Caused by`, as people read it before the name of an exception; nothing before what was thrown. */
export function relationText({ relation, member }: PlacedException): string {
  switch (relation) {
    case "thrown":
      return "";
    case "cause":
      return "Caused by ";
    case "context":
      return "While handling ";
    case "member":
      return `${member} of the group: `;
  }
}

/**
 * A message stays a message even where the client made up an exception to attach a stack to it; the made-up type and
 * the function it was called from say nothing about it.
 */
export function isMessage(event: ReportedEvent): boolean {
  if (event.message === undefined) return false;
  const main = mainException(event);
  return main === undefined || (main.type === undefined && main.mechanism?.synthetic === true);
}

/** The place to look at first: the innermost frame of the application, else the innermost that is not the engine's. */
export function culpritFrame(event: ReportedEvent): Frame | undefined {
  const frames = mainException(event)?.frames ?? event.frames ?? [];
  return (
    frames.findLast((frame) => frame.inApp === true) ??
    frames.findLast((frame) => !isEngineFrame(frame)) ??
    frames.at(-1)
  );
}
