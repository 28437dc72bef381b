import { HoldfastError } from "#errors";
import type { ImportOutcome } from "../../portable/import-lines.ts";
import { portableLimits } from "../../portable/limits.ts";
import { StoreUnavailable } from "../../stores/store.ts";
import type { PortableOperations } from "../operations/portable-operations.ts";
import { ok, owner, type RoutesOf } from "../route.ts";
import { type ApiSchema, list, named, shape, text, whole } from "../schema/schema.ts";
import { portableLine } from "./portable-schemas.ts";
import { inProject } from "./shared-schemas.ts";

type PortableRoutes = RoutesOf<PortableOperations>;

const outcome: ApiSchema<ImportOutcome> = named(
  "ImportOutcome",
  shape({
    taken: whole({ description: "Lines that were imported." }),
    present: whole({ description: "Events, files and feedback that the project had already." }),
    unknown: whole({ description: "Figures and states of issues that the project does not have." }),
  }),
);

export const portableRoutes: PortableRoutes = {
  "GET /projects/{project}/export": {
    summary: "The whole project as lines of JSON. A line of kind cursor says where a broken download goes on.",
    needs: owner,
    params: inProject,
    query: shape({}, { after: text({ max: 1_000, description: "Of a line of kind cursor." }) }),
    isFile: "lines",
    async handle({ api, person, params: { project }, query: { after } }) {
      try {
        const lines = await api.portable.exportLines(project, after, person.name);
        return { kind: "lines", lines, filename: `project-${project}.ndjson` };
      } catch (error) {
        if (!isCoded(error, "service-wrong-export-cursor")) throw error;
        return { kind: "invalid", path: "after", why: error.message };
      }
    },
  },

  "POST /projects/{project}/import": {
    summary: "Imports lines of an export. The same lines may be sent again: what is there already changes nothing.",
    needs: owner,
    params: inProject,
    body: shape({ lines: list(portableLine, { min: 1, max: portableLimits.linesAtOnce }) }),
    isLarge: true,
    response: outcome,
    async handle({ api, person, params: { project }, body: { lines } }) {
      try {
        return ok(await api.portable.importLines(project, lines, person.name));
      } catch (error) {
        if (isCoded(error, "service-import-refused")) throw new StoreUnavailable(error);
        if (!isCoded(error, "service-import-wrong-figures")) throw error;
        return { kind: "invalid", path: "/lines", why: error.message };
      }
    },
  },
};

function isCoded(error: unknown, code: string): error is HoldfastError {
  return error instanceof HoldfastError && error.code === code;
}
