import { digestOf } from "#protocol";
import { shape } from "../../api/schema/schema.ts";
import type { PublicEvent } from "../../queries/public-event.ts";
import { defineTool, paged, type Tool } from "../tool.ts";
import { oneLine } from "./lines.ts";
import { eventArguments, whichEvent } from "./which-event.ts";

export const reproduceEventTool: Tool = defineTool({
  name: "reproduce",
  title: "Reproduce an event",
  description:
    "Says how to send the request of an event to the sources as they are now: the command, a test that it writes, and what the event does not contain and you have to add. It runs nothing itself.",
  needs: "read",
  input: shape({}, { ...eventArguments, ...paged }),
  run: async (context, input) => {
    const found = await whichEvent(context, input);
    if (found.kind !== "event") return found;
    const event = await context.api.publicEvent(found.project, found.eventId, context.console);
    if (event === undefined) return { kind: "unknown", what: "event with this digest or id" };
    return { kind: "found", text: describe(event, context.console).join("\n") };
  },
});

function describe(event: PublicEvent, console: string | undefined): string[] {
  const { url, method = "GET" } = event.request ?? {};
  if (event.kept !== "whole") return ["Only a part of this event was kept, and its request is not among it."];
  if (typeof url !== "string") return ["This event happened outside of any request, so none can be sent again."];
  const digest = digestOf(event.id);
  const from = console === undefined ? "" : ` --service ${new URL(console).origin}`;
  const isPost = method !== "GET" && method !== "HEAD";
  return [
    `request: ${oneLine(String(method))} ${oneLine(url)}`,
    `error: ${oneLine(event.title)}`,
    ...(event.release === undefined ? [] : [`release: ${oneLine(event.release)}`]),
    "",
    "Run in the folder of the application:",
    `npx holdfast reproduce ${digest}${from} --write-test tests/${digest.toLowerCase()}.test.ts`,
    "",
    "It prints whether the request still fails, and writes a test that fails as long as it does.",
    ...(isPost
      ? ["An event never contains what was posted: add --field NAME=VALUE, or --json TEXT for an API route."]
      : []),
    ...(/\[(?:left-out|scrubbed)\]|%5B(?:left-out|scrubbed)%5D/.test(url)
      ? ["A part of the address was removed as a secret, so the request cannot be repeated exactly."]
      : []),
    ...(event.tags?.side === "browser"
      ? ["It happened in the browser: the command requests the page, but does not repeat what the visitor did in it."]
      : []),
    'If the page needs a session, add --cookie "…".',
  ];
}
