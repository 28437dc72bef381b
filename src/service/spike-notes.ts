import type { IntakeCounts } from "./accept/intake-counts.ts";
import type { SpikeListener } from "./accept/spikes.ts";
import type { Trouble } from "./alert-rules/service-trouble.ts";
import type { Clock } from "./clock.ts";
import type { Spike } from "./intake/spike-rules.ts";
import type { Projects } from "./projects.ts";
import type { SharedState } from "./shared/shared-state.ts";

/** In the audit log, for what no person did. */
const bySpikeProtection = "spike protection";

export interface SpikeNoteDeps {
  readonly shared: Pick<SharedState, "audit">;
  readonly counts: IntakeCounts;
  readonly clock: Clock;
}

/** Writes into the audit log that a spike has begun, and what was dropped when it is over. The console shows both. */
export function spikeListener({ shared, counts, clock }: SpikeNoteDeps): SpikeListener {
  // Reports are accepted while the log cannot be written.
  const note = (project: number, what: string): void =>
    void shared.audit.add({ at: clock.now(), by: bySpikeProtection, project, what }).catch(() => undefined);
  return {
    began: (project, spike) => {
      counts.spike(project, spike);
      note(project, `drops repeated errors: more than usual arrive, and usual are ${spike.usual} in a minute`);
    },
    continued: (project, spike) => counts.spike(project, spike),
    ended: (project, spike) => {
      counts.spike(project, spike);
      note(project, `keeps all errors again; ${spike.dropped} repeated ones were dropped`);
    },
  };
}

/** For the channels of the projects: one message about all spikes. */
export function spikeTrouble(current: ReadonlyMap<number, Spike>, projects: Projects): Trouble[] {
  const words = [...current].map(([project, { perMinute, usual, dropped }]) => {
    const name = projects.byId(project)?.name ?? `project ${project}`;
    return `${name} has ${perMinute} errors in a minute, usually ${usual}; ${dropped} repeated ones were dropped`;
  });
  return words.length === 0 ? [] : [{ kind: "spike", words: words.join(". ") }];
}
