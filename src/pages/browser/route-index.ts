import { type AcceptValue, createFinder, readParameter, segmentsOfId } from "#routes";
import { languages, richIds, slashes } from "#routes/href";
import type { BrowserParts } from "../parts.ts";

/** The exports of `src/matchers.ts`. */
export type Matchers = Readonly<Record<string, (value: string) => boolean>>;

/** Returns a function that finds the index of a path's route; -1 if no route has the path. */
export function createRouteIndex(routes: BrowserParts["routes"], matchers?: Matchers): (path: string) => number {
  const table = routes.map(({ id }) => ({ segments: segmentsOfId(id) }));
  // The finder need not decode parameters: their values come from the server.
  const asIs = (text: string): string => text;
  const find = richIds ? createFinder(table, asIs, acceptIn(matchers)) : createFinder(table, asIs);
  return (path) => {
    const plain = slashes ? (slashes.pathOf(path) ?? "") : path;
    return find(languages?.without(plain) ?? plain).index;
  };
}

/** A matcher that fails accepts nothing here. The server reports it. */
function acceptIn(matchers: Matchers | undefined): AcceptValue {
  return (name, text) => {
    try {
      const value = readParameter(text);
      return value !== null && matchers?.[name]?.(value) === true;
    } catch {
      return false;
    }
  };
}
