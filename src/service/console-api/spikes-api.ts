import type { Administration } from "../administration/administration.ts";
import type { IntakeFigures } from "../intake/intake-figures.ts";
import { problemsOfSpikeRules, type Spike, type SpikeRules, spikeRules } from "../intake/spike-rules.ts";
import type { Projects } from "../projects.ts";

/** Spike protection of a project. Every change is in the audit log. */
export interface SpikesApi {
  rulesOf(project: number): SpikeRules;
  /** The spike of now, or one of the last day. */
  recent(project: number): Spike | undefined;
  /** Returns the problems by field. If there are none, the rules hold within a second. */
  change(project: number, rules: SpikeRules, by: string): Promise<Readonly<Record<string, string>>>;
}

export interface SpikesApiDeps {
  readonly projects: Projects;
  readonly figures: IntakeFigures;
  readonly administration: Administration;
  readonly now: () => number;
}

/** A person who comes to work sees what was dropped in the night. */
const shownMs = 86_400_000;

export function openSpikesApi({ projects, figures, administration, now }: SpikesApiDeps): SpikesApi {
  return {
    rulesOf: (project) => projects.byId(project)?.spike ?? spikeRules,
    recent: (project) => {
      const spike = figures.spikeOf(project);
      return spike !== undefined && spike.dropped > 0 && now() - spike.lastAt < shownMs ? spike : undefined;
    },
    async change(project, rules, by) {
      const problems = problemsOfSpikeRules(rules);
      if (Object.keys(problems).length > 0) return problems;
      await projects.change(project, { spike: rules });
      await administration.record({ by, project, what: wordsOf(rules) });
      return problems;
    },
  };
}

function wordsOf({ isOn, times, least }: SpikeRules): string {
  return isOn
    ? `drops repeated errors from ${times} times the usual number and ${least} in a minute on`
    : "keeps every error, however many there are";
}
