import { shape, text, whole } from "../../api/schema/schema.ts";
import type { DevelopedRoute, DevelopmentSource } from "../development-source.ts";
import { defineTool, type Tool } from "../tool.ts";

/** A tool of the running application, in development only. */
export function listRoutesTool(development: DevelopmentSource): Tool {
  return defineTool({
    name: "routes",
    title: "Routes of the application",
    description:
      "Lists the routes of the application that is being developed: address, page file, server file with its load and actions, layouts. With a text, only those whose address or files contain it.",
    needs: "read",
    input: shape({}, { contains: text({ max: 200 }), from: whole({ min: 0, max: 10_000_000 }) }),
    run: async (_, { contains = "" }) => {
      const routes = (await development.routes()).filter((route) => describe(route).includes(contains));
      if (routes.length === 0) return { kind: "done", text: "No route matches." };
      return { kind: "found", text: routes.map(describe).join("\n") };
    },
  });
}

function describe({ id, kind, params, page, server, layouts }: DevelopedRoute): string {
  const parts = [
    page && `page ${page}`,
    server && `server ${server}`,
    layouts.length > 0 && `layouts ${layouts.join(" ")}`,
    params.length > 0 && `parameters ${params.join(" ")}`,
  ];
  return `${id} (${kind}): ${parts.filter((part) => typeof part === "string").join(", ")}`;
}
