import type { AlertMessage } from "./alert-message.ts";
import { plainMessage } from "./plain-message.ts";

export interface TestMessage {
  readonly id: string;
  readonly project: { readonly id: number; readonly name: string };
  readonly console: string;
  readonly at: number;
}

/** Shows what messages of a channel look like, and says that nothing is wrong. */
export function describeTest({ id, project, console, at }: TestMessage): AlertMessage {
  return {
    ...plainMessage(project, at),
    id,
    reason: "Test",
    title: "Alerts of this project arrive here",
    level: "info",
    link: `${console}/${project.id}/alerts`,
    about: id,
  };
}
