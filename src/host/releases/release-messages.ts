import type { Healing } from "../settings.ts";
import type { Tally } from "./evidence.ts";
import type { BuildChoice, HealingCause, RouteNotice } from "./healing-record.ts";

/** A release as the process that serves it knows it. */
export interface ServedRelease {
  /** Two builds with different content never share it. */
  key: string;
  /** As its reports name it. */
  name: string;
  build: string;
  /** Version of the framework. */
  holdfast: string;
  /** Name of the form of stored data, by the configuration. */
  data: string;
  healing: Exclude<Healing, "off">;
  /** Folder of its build. */
  dist: string;
  firstWaitMs: number;
  buildBytes: number;
}

/** The build that can answer in place of the served one. */
export interface KeptBuild {
  key: string;
  name: string;
  folder: string;
}

export interface CountedRoute {
  route: string;
  on: BuildChoice | "trial";
  tally: Tally;
  /** Failures of requests that only read a page. */
  triable: number;
}

/** A change of the build that answers a route. Other machines adopt it. */
export interface RouteDecision {
  route: string;
  answers: BuildChoice;
  heals: number;
  /** Why the build before answers. */
  cause?: HealingCause | undefined;
}

/** The choice of an operator. Without `pin`, the server decides again. */
export interface PinnedRoute {
  route: string;
  pin: RoutePin | undefined;
}

export interface RoutePin {
  to: BuildChoice;
  since: number;
}

/** From a process that serves to the one that decides. */
export type ToKeeper =
  | { kind: "release-served"; release: ServedRelease }
  | { kind: "release-counts"; key: string; counts: readonly CountedRoute[] }
  | { kind: "release-unusable"; key: string; route: string; why: string }
  | { kind: "release-adopt"; key: string; before: string; decision: RouteDecision }
  /** An operator has chosen on another machine. */
  | { kind: "release-pin"; key: string; before: string; pinned: PinnedRoute };

/** From the process that decides to those that serve. */
export type FromKeeper =
  /** Routes that the build before answers. */
  | {
      kind: "release-routes";
      key: string;
      before: KeptBuild | undefined;
      routes: readonly { route: string; isTried: boolean }[];
    }
  /** For one of the processes: it reports the change. */
  | {
      kind: "release-changed";
      key: string;
      before: KeptBuild | undefined;
      decision: RouteDecision;
      notice: RouteNotice;
    };

/** How a process that serves reaches the one that decides, which may be itself. */
export interface ReleaseLine {
  send(message: ToKeeper): void;
  listen(receive: (message: FromKeeper) => void): void;
  close(): Promise<void>;
}

export function isToKeeper(message: unknown): message is ToKeeper {
  return isKind(message, ["release-served", "release-counts", "release-unusable", "release-adopt", "release-pin"]);
}

export function isFromKeeper(message: unknown): message is FromKeeper {
  return isKind(message, ["release-routes", "release-changed"]);
}

function isKind(message: unknown, kinds: readonly string[]): boolean {
  return kinds.includes((Object(message) as { kind?: string }).kind ?? "");
}
