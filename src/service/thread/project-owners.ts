import { ProjectMembers } from "../accounts/project-members.ts";
import type { Clock } from "../clock.ts";
import type { OwnerByRules } from "../filing/to-filed-event.ts";
import { findOwner } from "../issues/ownership/find-owner.ts";
import { type OwnershipLimits, readOwnership } from "../issues/ownership/ownership-rules.ts";
import type { Project, ProjectOwnership, Projects } from "../projects.ts";
import type { RowQueries } from "../rows/rows.ts";

export interface ProjectOwnersDeps {
  readonly projects: Pick<Projects, "all">;
  /** Opens the accounts. Only called if a project has rules for people with an account. */
  accounts(): Promise<RowQueries>;
  readonly clock: Clock;
  /** So old the list of members may be. */
  readonly membersMs: number;
  fault(error: unknown): void;
}

/** They were checked when they were saved. */
const noLimits: OwnershipLimits = {
  rules: Number.POSITIVE_INFINITY,
  lineLength: Number.POSITIVE_INFINITY,
  textLength: Number.POSITIVE_INFINITY,
};

/** The ownership rules of all projects, for the thread that makes issues. */
export class ProjectOwners {
  readonly #deps: ProjectOwnersDeps;
  readonly #members = new ProjectMembers();
  readonly #compiled = new Map<number, { ownership: ProjectOwnership; ownerBy: OwnerByRules }>();
  #projects: readonly Project[] = [];
  #membersReadAt = Number.NEGATIVE_INFINITY;

  constructor(deps: ProjectOwnersDeps) {
    this.#deps = deps;
  }

  /** Reads what has changed, before a batch. If that fails, what was read before holds on. */
  async follow(): Promise<void> {
    const { projects, accounts, clock, membersMs, fault } = this.#deps;
    try {
      this.#projects = projects.all;
      if (!this.#projects.some(({ ownership }) => ownership?.membersOnly === true && ownership.rules !== "")) return;
      if (clock.now() - this.#membersReadAt < membersMs) return;
      this.#membersReadAt = clock.now();
      await this.#members.read(await accounts());
    } catch (error) {
      fault(error);
    }
  }

  of(project: number): OwnerByRules | undefined {
    const ownership = this.#projects.find(({ id }) => id === project)?.ownership;
    if (ownership === undefined || ownership.rules === "") return undefined;
    const known = this.#compiled.get(project);
    if (known?.ownership === ownership) return known.ownerBy;
    const ownerBy = this.#compile(project, ownership);
    this.#compiled.set(project, { ownership, ownerBy });
    return ownerBy;
  }

  #compile(project: number, { rules: text, membersOnly }: ProjectOwnership): OwnerByRules {
    const { rules } = readOwnership(text, noLimits);
    const member = (written: string): string | undefined => {
      const email = written.toLowerCase();
      return this.#members.has(project, email) ? email : undefined;
    };
    return (facts) => {
      const found = findOwner(rules, facts, membersOnly ? member : (written) => written);
      return found?.to === undefined ? undefined : { to: found.to, rule: found.rule.rule };
    };
  }
}
