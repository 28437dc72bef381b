import type { Frame, ReportedEvent, ReportedException } from "#protocol";

/**
 * The exception that was thrown, not the cause it carries: the one without a parent, else the last, as clients order them. Go's client orders them as all others
 * do, but calls the deepest cause the parent.
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
 * A message stays a message even where the client made up an exception to attach a stack to it; the made-up type and
 * the function it was called from say nothing about it.
 */
export function isMessage(event: ReportedEvent): boolean {
  if (event.message === undefined) return false;
  const main = mainException(event);
  return main === undefined || (main.type === undefined && main.mechanism?.synthetic === true);
}

/** The place to look at first: the innermost frame of the application, else the innermost of all. */
export function culpritFrame(event: ReportedEvent): Frame | undefined {
  const frames = mainException(event)?.frames ?? event.frames ?? [];
  return frames.findLast((frame) => frame.inApp === true) ?? frames.at(-1);
}
