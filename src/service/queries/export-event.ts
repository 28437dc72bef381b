import { eventByIdOrDigest } from "./event.ts";
import { eventAsMarkdown } from "./event-as-markdown.ts";
import { type PublicEvent, publicEvent } from "./public-event.ts";
import type { QueryContext } from "./query-context.ts";

/** For people elsewhere. Links begin with `consoleAddress`. */
export async function eventMarkdown(
  context: QueryContext,
  project: number,
  text: string,
  consoleAddress: string | undefined,
): Promise<string | undefined> {
  const found = await eventByIdOrDigest(context, project, text);
  return found && eventAsMarkdown(found, consoleAddress);
}

/** For programs. */
export async function eventJson(
  context: QueryContext,
  project: number,
  text: string,
  consoleAddress: string | undefined,
): Promise<PublicEvent | undefined> {
  const found = await eventByIdOrDigest(context, project, text);
  return found && publicEvent(found, consoleAddress);
}
