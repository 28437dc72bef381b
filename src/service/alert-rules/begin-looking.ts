import { AlertOutbox } from "../alerts/alert-outbox.ts";
import { defaultRule } from "../alerts/alert-settings.ts";
import type { SharedState } from "../shared/shared-state.ts";
import type { StoreReader } from "../stores/store.ts";
import { ruleLooks } from "./looks/rule-looks.ts";

export interface BeginLookingDeps {
  readonly shared: Pick<SharedState, "projects" | "alertTables">;
  readonly store: () => Promise<StoreReader>;
  readonly now: () => number;
}

/**
 * Saves what each rule sees now as its past, before a project gets its first channel. So everything that is filed after
 * the channel was saved is reported, also if it comes before the next turn, and nothing of the time without a channel.
 */
export async function beginLooking({ shared, store, now }: BeginLookingDeps, id: number): Promise<void> {
  const project = shared.projects.byId(id);
  if (project === undefined) return;
  const reader = await store();
  const looked = [];
  for (const { kind, look } of ruleLooks)
    looked.push(
      await look({
        store: reader,
        project,
        rule: defaultRule(kind),
        cursor: () => undefined,
        cursors: new Map(),
        now: now(),
        // Nothing is described.
        console: "",
        limits: { described: 0, issues: 0 },
      }),
    );
  const cursors = looked.flatMap((one) => one.cursors.map((cursor) => ({ project: id, ...cursor })));
  await new AlertOutbox(shared.alertTables().shared, now).add({ notices: [], summaries: [], cursors });
}
