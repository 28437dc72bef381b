import type { Frame, ReportedEvent, ReportedException } from "#protocol";
import { isEngineFrame } from "./in-app.ts";

/**
 * Returns the thrown exception, not its cause: the one without a parent, else the last, which is the clients' order.
 * Go's client uses the same order, but names the deepest cause as the parent.
 */
export function mainException(event: ReportedEvent): ReportedException | undefined {
  if (event.platform === "go") return event.exceptions.at(-1);
  const roots = event.exceptions.filter(
    ({ mechanism }) => mechanism?.exceptionId !== undefined && mechanism.parentId === undefined,
  );
  return roots.length === 1 ? roots[0] : event.exceptions.at(-1);
}

/** Returns the thrown exception first, then its causes from the nearest to the deepest. */
export function exceptionChain(event: ReportedEvent): readonly ReportedException[] {
  const main = mainException(event);
  if (main === undefined) return [];
  return [main, ...event.exceptions.filter((exception) => exception !== main).reverse()];
}

/** Relation of an exception to its parent: its cause, the exception being handled, or a member of a collection. */
export type Relation = "thrown" | "cause" | "context" | "member";

export interface PlacedException {
  readonly exception: ReportedException;
  readonly relation: Relation;
  /** Position in the collection, from 1. */
  readonly member?: number;
  /** Number of enclosing collections. */
  readonly depth: number;
}

/**
 * Returns the thrown exception, then its descendants: causes from the nearest to the deepest, and collected errors with
 * their own causes.
 */
export function exceptionTree(event: ReportedEvent): readonly PlacedException[] {
  const main = mainException(event);
  if (main === undefined) return [];
  const placed: PlacedException[] = [{ exception: main, relation: "thrown", depth: 0 }];
  const left = new Set(event.exceptions.toReversed());
  left.delete(main);
  if (event.platform !== "go") placeChildren(main, 0, left, placed);
  // Exceptions without ids form one chain, and orphans are not lost.
  for (const exception of left) placed.push({ exception, relation: "cause", depth: 0 });
  return placed;
}

/** Places each exception once, even if a client repeats ids. There are 50 at most. */
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

/** `exceptions[0]` of Python and `errors[0]` of JavaScript are members. `__context__` of Python was being handled. */
function relationOf({ mechanism }: ReportedException): { relation: Relation; member?: number } {
  const source = mechanism?.source ?? "";
  const member = /^\w+\[(\d{1,6})\]$/.exec(source)?.[1];
  if (member !== undefined) return { relation: "member", member: Number(member) + 1 };
  return { relation: source === "__context__" ? "context" : "cause" };
}

/** Text before the name of an exception, for example `Caused by`. Empty for the thrown one. */
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
 * A message stays a message even if the client attached its stack by a synthetic exception, whose type and function are
 * meaningless.
 */
export function isMessage(event: ReportedEvent): boolean {
  if (event.message === undefined) return false;
  const main = mainException(event);
  return main === undefined || (main.type === undefined && main.mechanism?.synthetic === true);
}

/**
 * Returns the frame to look at first: the innermost one of the application, else the innermost that is not the
 * engine's.
 */
export function culpritFrame(event: ReportedEvent): Frame | undefined {
  const frames = mainException(event)?.frames ?? event.frames ?? [];
  return (
    frames.findLast((frame) => frame.inApp === true) ??
    frames.findLast((frame) => !isEngineFrame(frame)) ??
    frames.at(-1)
  );
}
