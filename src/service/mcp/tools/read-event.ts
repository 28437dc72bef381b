import { shape } from "../../api/schema/schema.ts";
import { defineTool, paged, type Tool } from "../tool.ts";
import { eventArguments, whichEvent } from "./which-event.ts";

export const readEventTool: Tool = defineTool({
  name: "read_event",
  title: "Read an event",
  description:
    "Shows one event as Markdown: the error, its stack with source lines, route, release, request, what the visitor did before, and notes of the visitor. Name the digest that the visitor was shown, the id of the event, or an issue, whose latest event is then shown.",
  needs: "read",
  input: shape({}, { ...eventArguments, ...paged }),
  run: async (context, input) => {
    const found = await whichEvent(context, input);
    if (found.kind !== "event") return found;
    const text = await context.api.eventAsMarkdown(found.project, found.eventId, context.console);
    return text === undefined ? { kind: "unknown", what: "event with this digest or id" } : { kind: "found", text };
  },
});
