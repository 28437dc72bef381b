import type { Cursor } from "../../alerts/alert-outbox.ts";
import type { AlertRule, RuleKind } from "../../alerts/alert-settings.ts";
import type { FoundAlert } from "../../alerts/plan-notices.ts";
import type { Project } from "../../projects.ts";
import type { StoreReader } from "../../stores/store.ts";
import type { LookLimits } from "./found-issues.ts";

export interface LookContext {
  readonly store: StoreReader;
  readonly project: Project;
  readonly rule: AlertRule;
  /** By name. Undefined at the first look: what was there before is not reported. */
  readonly cursor: (name: string) => number | undefined;
  /** All cursors of the project. */
  readonly cursors: ReadonlyMap<string, number>;
  readonly now: number;
  /** Address of the console. */
  readonly console: string;
  readonly limits: LookLimits;
}

export interface LookResult {
  readonly found: readonly FoundAlert[];
  /** Further ones that were counted and not described. */
  readonly more: number;
  /** Saved together with what was found. Empty if there was nothing to look at. */
  readonly cursors: readonly Omit<Cursor, "project">[];
}

/** Looks for what one rule reports. */
export interface RuleLook {
  readonly kind: RuleKind;
  look(context: LookContext): Promise<LookResult>;
}

export const nothingNew: LookResult = { found: [], more: 0, cursors: [] };

/** Without its key. */
export function namedProject({ id, name }: Project): { id: number; name: string } {
  return { id, name };
}
