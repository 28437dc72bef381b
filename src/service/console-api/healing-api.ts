import { HoldfastError } from "#errors";
import type { Administration } from "../administration/administration.ts";

/** Requests of a route on one build, and those of them that failed. */
interface Counts {
  requests: number;
  failures: number;
}

/** When a route was found to fail, and what was counted on each build until then. */
interface Cause {
  since: number;
  new: Counts;
  before: Counts;
}

type State =
  | { kind: "new" }
  /** `triedAt`: when the new build is tried again; undefined if only the next release is. */
  | { kind: "healed"; cause: Cause; triedAt: number | undefined }
  | { kind: "trial"; cause: Cause }
  | { kind: "not-healed"; cause: Cause; why: string }
  | { kind: "pinned"; to: Build; since: number };

type Build = "new" | "before";

/** The release that an application serves, as it knows it on its machine. */
interface Status {
  name: string;
  before: string | undefined;
  /** Why no route of this release is healed, if so. */
  never: string | undefined;
  routes: readonly { route: string; on: string; state: State }[];
}

/** The application of this process. */
export interface HealingSource {
  status(): Promise<Status | undefined>;
  /** Rejects with a `HoldfastError` if it is impossible. */
  pin(route: string, to: Build | undefined): Promise<void>;
}

export interface PinRequest {
  route: string;
  /** Undefined: the server decides again. */
  to: Build | undefined;
  by: string;
}

/** What people see of the builds that answer the routes of a project, and choose. */
export interface HealingApi {
  /** Undefined if the application watches no release. */
  status(): Promise<Status | undefined>;
  /** Each choice is in the audit log. */
  pin(request: PinRequest): Promise<{ kind: "done" } | { kind: "refused"; why: string }>;
}

export interface HealingApiDeps {
  project: number;
  source: () => HealingSource | undefined;
  administration: Pick<Administration, "record">;
}

export function openHealingApi({ project, source, administration }: HealingApiDeps): HealingApi {
  return {
    status: async () => source()?.status(),
    pin: async ({ route, to, by }) => {
      const application = source();
      if (!application) return { kind: "refused", why: "This application watches no release." };
      try {
        await application.pin(route, to);
      } catch (error) {
        if (error instanceof HoldfastError) return { kind: "refused", why: error.message };
        throw error;
      }
      const what = to === undefined ? `unpinned ${route}` : `pinned ${route} to the ${wordsOf[to]}`;
      await administration.record({ by, project, what });
      return { kind: "done" };
    },
  };
}

const wordsOf = { new: "new build", before: "build before" } as const;
