import { shape, whole } from "../../api/schema/schema.ts";
import type { DevelopedFailure, DevelopmentSource } from "../development-source.ts";
import { defineTool, type Tool } from "../tool.ts";
import { timeText } from "./lines.ts";

const usualLimit = 3;

/** A tool of the running application, in development only. */
export function lastFailuresTool(development: DevelopmentSource): Tool {
  return defineTool({
    name: "last_failures",
    title: "Last failures",
    description:
      "Shows the last failures of the application that is being developed, newest first, as the page shows them: errors on the server and in the browser, files that cannot be compiled, with the failing lines and the stack. Call it after a change.",
    needs: "read",
    input: shape(
      {},
      {
        limit: whole({ min: 1, max: 50, description: `How many; ${usualLimit}.` }),
        from: whole({ min: 0, max: 10_000_000 }),
      },
    ),
    run: async (_, { limit = usualLimit }) => {
      const failures = await development.failures();
      if (failures.length === 0) return { kind: "done", text: "Nothing has failed since the server started." };
      return { kind: "found", text: failures.slice(0, limit).map(describe).join("\n\n") };
    },
  });
}

function describe({ at, headline, message, digest, address, excerpt, stack }: DevelopedFailure): string {
  return [
    `${timeText(at)} ${headline}`,
    message,
    ...(address === undefined ? [] : [`address: ${address}`]),
    ...(digest === undefined ? [] : [`digest: ${digest}`]),
    ...(excerpt === undefined
      ? []
      : [
          `${excerpt.file}:${excerpt.line}`,
          ...excerpt.lines.map(({ number, text }) => `${number === excerpt.line ? ">" : " "} ${number}  ${text}`),
        ]),
    ...stack.map((line) => `    at ${line}`),
  ].join("\n");
}
