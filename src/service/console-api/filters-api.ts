import { randomBytes } from "node:crypto";
import type { Administration } from "../administration/administration.ts";
import type { FilterFigures } from "../intake/figures.ts";
import { type FilterKind, filterLimits, type InboundFilter, problemOfFilter } from "../intake/filters.ts";
import type { IntakeFigures } from "../intake/intake-figures.ts";
import type { Projects } from "../projects.ts";

/** A filter as the console and the API show it, with what it has dropped. */
export type ShownFilter = InboundFilter & FilterFigures;

export type FilterOutcome =
  | { readonly kind: "done"; readonly filter: InboundFilter }
  | { readonly kind: "refused"; readonly why: string };

/** Reports that a project does not want. Every change is in the audit log. */
export interface FiltersApi {
  of(project: number): readonly ShownFilter[];
  add(project: number, wish: { kind: FilterKind; pattern: string }, by: string): Promise<FilterOutcome>;
  /** Resolves with whether there was such a filter. */
  remove(project: number, id: string, by: string): Promise<boolean>;
}

export interface FiltersApiDeps {
  readonly projects: Projects;
  readonly figures: IntakeFigures;
  readonly administration: Administration;
  readonly now: () => number;
}

export function openFiltersApi({ projects, figures, administration, now }: FiltersApiDeps): FiltersApi {
  return {
    of: (project) => {
      const { filters = [] } = projects.byId(project) ?? {};
      const found = figures.ofFilters(
        filters.map(({ id }) => id),
        now(),
      );
      const none: FilterFigures = { dropped: 0, lastAt: undefined, example: undefined };
      return filters.map((filter, index) => ({ ...filter, ...(found[index] ?? none) }));
    },
    async add(project, { kind, pattern }, by) {
      const filter = { id: randomBytes(6).toString("hex"), kind, pattern: pattern.trim(), createdAt: now() };
      let why = problemOfFilter(filter);
      if (why !== undefined) return { kind: "refused", why };
      await projects.update(project, ({ filters = [] }) => {
        why = problemBeside(filters, filter);
        return why === undefined ? { filters: [...filters, filter] } : {};
      });
      if (projects.byId(project) === undefined) why = `There is no project ${project}.`;
      if (why !== undefined) return { kind: "refused", why };
      await administration.record({ by, project, what: `drops reports: ${wordsOf(filter)}` });
      return { kind: "done", filter };
    },
    async remove(project, id, by) {
      let removed: InboundFilter | undefined;
      await projects.update(project, ({ filters = [] }) => {
        removed = filters.find((filter) => filter.id === id);
        return { filters: filters.filter((filter) => filter.id !== id) };
      });
      if (removed === undefined) return false;
      await administration.record({ by, project, what: `no longer drops reports: ${wordsOf(removed)}` });
      return true;
    },
  };
}

function problemBeside(filters: readonly InboundFilter[], { kind, pattern }: InboundFilter): string | undefined {
  if (filters.some((one) => one.kind === kind && one.pattern === pattern)) return "There is such a filter already.";
  return filters.length < filterLimits.perProject
    ? undefined
    : `A project has at most ${filterLimits.perProject} filters. Remove one first.`;
}

function wordsOf({ kind, pattern }: InboundFilter): string {
  return kind === "crawler" ? "crawlers" : `${kind} ${pattern}`;
}
