import { isObject } from "#protocol";
import { readDocument, type SharedDocument } from "../documents/document.ts";

/** A release that was put into an environment. */
export interface Deploy {
  readonly project: number;
  readonly release: string;
  readonly environment: string;
  readonly name?: string | undefined;
  readonly url?: string | undefined;
  readonly at: number;
}

export const deploysFile = "deploys.json";

/** Deploys that release tools have announced, newest first, in one document that all processes share. */
export class Deploys {
  readonly #document: SharedDocument;

  constructor(document: SharedDocument) {
    this.#document = document;
  }

  /** Those of a project. */
  of(project: number): readonly Deploy[] {
    return deploysIn(readDocument(this.#document.file)).filter((deploy) => deploy.project === project);
  }

  ofRelease(project: number, release: string): readonly Deploy[] {
    return this.of(project).filter((deploy) => deploy.release === release);
  }

  /** The same deploy again, as after a lost response, changes nothing. */
  add(deploy: Deploy, keep: number): Promise<void> {
    return this.#document.change((before) => {
      const known = deploysIn(before);
      if (known.some((other) => isSame(other, deploy))) return before;
      const own = [deploy, ...known.filter(({ project }) => project === deploy.project)].slice(0, keep);
      return [...own, ...known.filter(({ project }) => project !== deploy.project)];
    });
  }
}

function isSame(one: Deploy, other: Deploy): boolean {
  return (
    one.project === other.project &&
    one.release === other.release &&
    one.environment === other.environment &&
    one.at === other.at
  );
}

function deploysIn(value: unknown): Deploy[] {
  return Array.isArray(value) ? value.filter(isDeploy) : [];
}

function isDeploy(value: unknown): value is Deploy {
  return (
    isObject(value) &&
    typeof value.project === "number" &&
    typeof value.release === "string" &&
    typeof value.environment === "string" &&
    typeof value.at === "number"
  );
}
