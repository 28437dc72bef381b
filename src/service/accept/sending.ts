import type { ProjectKey } from "../intake/project-keys.ts";
import type { Project } from "../projects.ts";

/** Who sends an envelope: a project, and the key that the client has. Envelopes of the same process need no key. */
export interface Sending {
  readonly project: Project;
  readonly key: ProjectKey | undefined;
  readonly client: SendingClient;
}

/** What the request says about the program that sent it. */
export interface SendingClient {
  readonly agent: string | undefined;
  readonly address: string | undefined;
}

export const ownProcess: SendingClient = { agent: undefined, address: undefined };

/**
 * Whether envelopes of a project are parsed before they are accepted. Those of other projects are stored as they
 * arrived.
 */
export function mustBeRead({ filters = [], spike }: Project): boolean {
  return filters.length > 0 || spike?.isOn === true;
}
