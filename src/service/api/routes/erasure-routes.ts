import type { ErasureSubject } from "../../erasures/erasure-subject.ts";
import type { ApiErasure, ErasureOperations } from "../operations/erasure-operations.ts";
import { ok, owner, type RoutesOf, unknown } from "../route.ts";
import { type ApiSchema, named, shape, text, union, whole, word } from "../schema/schema.ts";
import { countsSchema, erasureReportSchema } from "./erasure-schemas.ts";
import { inProject, listSchema } from "./shared-schemas.ts";

type ErasureRoutes = RoutesOf<ErasureOperations>;

const identity = text({ min: 1, max: 400, description: "Id, e-mail or IP address." });

const erasure: ApiSchema<ApiErasure> = named(
  "Erasure",
  union(
    shape({ what: word("visitor"), identity }),
    shape({ what: word("event"), id: text({ min: 1, max: 64, description: "Id or digest." }) }),
    shape({ what: word("issue"), number: whole({ min: 1, max: 999_999_999 }) }),
    shape({ what: word("project") }),
  ),
);

export const erasureRoutes: ErasureRoutes = {
  "GET /projects/{project}/erasures": {
    summary: "What was forgotten, newest first: who asked for it, and how much was removed.",
    needs: owner,
    params: inProject,
    response: listSchema(erasureReportSchema),
    handle: async ({ api, params: { project } }) => ok({ items: api.erase.reports(project) }),
  },

  "POST /projects/{project}/erasures": {
    summary: "Forgets a visitor, an event, an issue or the project, in the background. It cannot be undone.",
    needs: owner,
    params: inProject,
    body: erasure,
    response: erasureReportSchema,
    async handle({ api, person, params: { project }, body }) {
      const begun = await api.erase.begin(project, subjectOf(body), person.name);
      return begun === undefined ? unknown(body.what) : { kind: "created", body: begun };
    },
  },

  "POST /projects/{project}/visitor-exports": {
    summary:
      "Everything that is stored of a visitor, as lines of JSON. It is a POST so that no address has the identity.",
    needs: owner,
    params: inProject,
    body: shape({ identity }),
    isFile: "lines",
    async handle({ api, person, params: { project }, body }) {
      const lines = await api.erase.exportVisitor(project, { kind: "visitor", identity: body.identity }, person.name);
      return { kind: "lines", lines, filename: "visitor.ndjson" };
    },
  },

  "POST /projects/{project}/erasures/plan": {
    summary: "How much an erasure would remove. Changes nothing.",
    needs: owner,
    params: inProject,
    body: erasure,
    response: countsSchema,
    async handle({ api, params: { project }, body }) {
      const planned = await api.erase.plan(project, subjectOf(body));
      return planned === undefined ? unknown(body.what) : ok(planned);
    },
  },
};

function subjectOf(body: ApiErasure): ErasureSubject {
  switch (body.what) {
    case "visitor":
      return { kind: "visitor", identity: body.identity };
    case "event":
      return { kind: "event", id: body.id };
    case "issue":
      return { kind: "issue", number: body.number };
    case "project":
      return { kind: "project" };
  }
}
