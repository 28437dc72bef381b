import type { ReportedEvent } from "#protocol";
import { exceptionChain } from "../grouping/main-exception.ts";
import { type OwnedFacts, splitPath } from "../issues/ownership/matchers.ts";
import { tagsOfEvent } from "../stores/values/event-texts.ts";
import { routeName } from "./route-name.ts";

/** Files of a stack that are compared with rules. More are a recursion. */
const comparedFiles = 100;

/** What ownership rules compare of a stored event. */
export function ownedFactsOf(event: ReportedEvent): OwnedFacts {
  const route = event.transaction === undefined ? undefined : routeName(event.transaction);
  return readOwnedFacts(event, { route, tags: tagsOfEvent(event, route) })();
}

/** The same while it is filed. The event is not retained until the answer is needed: a batch has thousands. */
export function readOwnedFacts(event: ReportedEvent, known: Pick<OwnedFacts, "route" | "tags">): () => OwnedFacts {
  const files = ownFilesOf(event);
  const { route, tags } = known;
  const url = event.request?.url;
  return () => ({ paths: files.map(splitPath), route, url, tags });
}

/** Files of the application in all stacks of an event. */
function ownFilesOf(event: ReportedEvent): string[] {
  const files = new Set<string>();
  for (const frames of [...exceptionChain(event).map(({ frames }) => frames), event.frames ?? []])
    for (const { inApp, filename, absPath } of frames.toReversed()) {
      if (files.size === comparedFiles) return [...files];
      const file = filename ?? absPath;
      if (inApp === true && file !== undefined) files.add(file);
    }
  return [...files];
}
