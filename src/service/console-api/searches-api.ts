import type { Administration } from "../administration/administration.ts";
import type { SavedSearch, SavedSearches, SaveOutcome, SearchPlace } from "../administration/saved-searches.ts";
import { filterFor } from "../stores/filter-language.ts";

/** Saved searches of a person, and those that a project shares. Changes of shared ones are in the audit log. */
export interface SearchesApi {
  of(project: number, person: string): readonly SavedSearch[];
  /** A filter of issues as this person means it: `assigned:me` is the person. */
  forPerson(filter: string, person: string): string;
  save(wish: Omit<SavedSearch, "id">, by: string): Promise<SaveOutcome>;
  /** Resolves with whether there was one. */
  rename(at: SearchPlace, name: string): Promise<boolean>;
  remove(at: SearchPlace): Promise<boolean>;
}

export function openSearchesApi(searches: SavedSearches, { record }: Pick<Administration, "record">): SearchesApi {
  const recordShared = async ({ owner, project }: Omit<SavedSearch, "id">, by: string, what: string): Promise<void> => {
    if (owner === undefined) await record({ by, project, what });
  };
  return {
    of: (project, person) => searches.of(project, person),
    forPerson: filterFor,
    async save(wish, by) {
      const outcome = await searches.save(wish);
      if (outcome.kind === "saved") await recordShared(wish, by, `shared the search ${wish.name} of ${wish.screen}`);
      return outcome;
    },
    async rename(at, name) {
      const before = await searches.rename(at, name);
      if (before !== undefined) await recordShared(before, at.person, `called the search ${before.name} ${name}`);
      return before !== undefined;
    },
    async remove(at) {
      const removed = await searches.remove(at);
      if (removed !== undefined) await recordShared(removed, at.person, `removed the shared search ${removed.name}`);
      return removed !== undefined;
    },
  };
}
