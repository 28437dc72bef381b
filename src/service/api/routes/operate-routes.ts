import type { ServiceSettings } from "../../administration/service-settings.ts";
import type { ConsoleApi } from "../../console-api/console-api.ts";
import type { KeptApi } from "../../console-api/kept-api.ts";
import type { TokenOwner } from "../../tokens/token.ts";
import type { ApiToken, NewApiToken, OperateOperations, TokenBody } from "../operations/operate-operations.ts";
import {
  type ApiOutcome,
  identified,
  identifiedOwner,
  member,
  ok,
  owner,
  ownerOfAll,
  type RoutesOf,
  unknown,
  viewer,
} from "../route.ts";
import type { AsJson } from "../schema/as-json.ts";
import { type ApiSchema, anyText, flag, list, named, oneOf, shape, text, time, whole } from "../schema/schema.ts";
import { healingSchema, keptListSchema, keptResultSchema, keptSchema, storageSchema } from "./operate-schemas.ts";
import { byId, inProject, listSchema, name, projectNumber } from "./shared-schemas.ts";

type OperateRoutes = RoutesOf<OperateOperations>;

const scope = oneOf(["read", "triage", "upload", "admin"]);

const token: ApiSchema<AsJson<ApiToken>> = named(
  "Token",
  shape(
    { id: whole(), name: anyText(), scopes: list(scope), created: time(), by: anyText() },
    { expires: time(), used: time("The last use, to the minute.") },
  ),
);
const newToken: ApiSchema<AsJson<NewApiToken>> = shape({ token, secret: anyText("It is shown only now.") });
const tokenBody: ApiSchema<TokenBody> = shape(
  { name, scopes: list(scope, { min: 1, max: 4 }) },
  { expires: whole({ min: 0, description: "Milliseconds since 1970. Without it, the token does not expire." }) },
);
const tokenId = whole({ min: 1 });

const rules = shape({ alsoSecret: list(text({ min: 1, max: 100 }), { max: 200 }), keepAddresses: flag() });

const settings: ApiSchema<ServiceSettings> = named(
  "Settings",
  shape({
    keepDays: whole({ min: 1, max: 3_650 }),
    keepBytes: whole({ min: 1 }),
    scrub: rules,
    attachments: shape({ keep: flag(), fileBytes: whole(), eventBytes: whole(), dayBytes: whole() }),
  }),
);

/** Tokens, what an application has kept, its builds, and settings of the whole service. */
export const operateRoutes: OperateRoutes = {
  "GET /me/tokens": {
    summary: "Own tokens, without their text.",
    needs: identified,
    response: listSchema(token),
    handle: async ({ api, person }) => ok({ items: await api.tokens.list(ownerOf(person.name)) }),
  },

  "POST /me/tokens": {
    summary: "Makes a token of the caller. It permits at most what the caller may do.",
    needs: identifiedOwner,
    body: tokenBody,
    response: newToken,
    handle: ({ api, person, body }) => makeToken(api, ownerOf(person.name), body, person.name),
  },

  "DELETE /me/tokens/{token}": {
    summary: "Revokes an own token. It is refused from the next request on.",
    needs: identifiedOwner,
    params: shape({ token: tokenId }),
    handle: async ({ api, person, params }) =>
      (await api.tokens.revoke(ownerOf(person.name), params.token, person.name)) ? { kind: "done" } : unknown("token"),
  },

  "GET /projects/{project}/tokens": {
    summary: "Tokens of the project, without their text.",
    needs: owner,
    params: inProject,
    response: listSchema(token),
    handle: async ({ api, params: { project } }) => ok({ items: await api.tokens.list({ kind: "project", project }) }),
  },

  "POST /projects/{project}/tokens": {
    summary: "Makes a token of the project.",
    needs: owner,
    params: inProject,
    body: tokenBody,
    response: newToken,
    handle: ({ api, person, params: { project }, body }) =>
      makeToken(api, { kind: "project", project }, body, person.name),
  },

  "DELETE /projects/{project}/tokens/{token}": {
    summary: "Revokes a token of the project. It is refused from the next request on.",
    needs: owner,
    params: shape({ project: projectNumber, token: tokenId }),
    handle: async ({ api, person, params: { project, token: id } }) =>
      (await api.tokens.revoke({ kind: "project", project }, id, person.name)) ? { kind: "done" } : unknown("token"),
  },

  "GET /projects/{project}/kept": {
    summary: "Submissions that the application of this process has kept, newest first.",
    needs: viewer,
    params: inProject,
    query: shape(
      { all: flag({ default: false }), limit: whole({ min: 1, max: 100, default: 50 }) },
      { issue: whole({ min: 1, max: 999_999_999, description: "Only those whose event is in this issue." }) },
    ),
    response: keptListSchema,
    handle: ({ api, params: { project }, query }) => withKept(api, project, async (kept) => ok(await kept.list(query))),
  },

  "GET /projects/{project}/kept/{id}": {
    summary: "One kept submission, by id or digest.",
    needs: viewer,
    params: byId,
    response: keptSchema,
    handle: ({ api, params: { project, id } }) =>
      withKept(api, project, async (kept) => {
        const found = await kept.show(id);
        return found === undefined ? unknown("kept submission") : ok(found);
      }),
  },

  "POST /projects/{project}/kept/run": {
    summary: "Runs kept submissions again, one after another. With `trial`, they are only checked.",
    needs: member,
    params: inProject,
    body: shape(
      { names: list(text({ min: 1, max: 100 }), { min: 1, max: 100 }) },
      { trial: flag(), evenIfUnsure: flag({ description: "Also those that may have been done already." }) },
    ),
    response: listSchema(keptResultSchema),
    handle: ({ api, person, params: { project }, body: { names, trial, evenIfUnsure = false } }) =>
      withKept(api, project, async (kept) =>
        ok({ items: trial ? await kept.check(names) : await kept.run(names, { by: person.name, evenIfUnsure }) }),
      ),
  },

  "DELETE /projects/{project}/kept/{id}": {
    summary: "Forgets a kept submission.",
    needs: member,
    params: byId,
    handle: ({ api, person, params: { project, id } }) =>
      withKept(api, project, async (kept) =>
        (await kept.forget(id, person.name)) ? { kind: "done" } : unknown("kept submission"),
      ),
  },

  "GET /projects/{project}/healing": {
    summary: "Which build answers the routes of the application of this process.",
    needs: viewer,
    params: inProject,
    response: healingSchema,
    async handle({ api, params: { project } }) {
      const status = await api.healing(project)?.status();
      return status === undefined ? unknown("watched release") : ok(status);
    },
  },

  "PUT /projects/{project}/healing": {
    summary: "Pins a route to a build. Without `to`, the server decides again.",
    needs: member,
    params: inProject,
    body: shape({ route: text({ min: 1, max: 500 }) }, { to: oneOf(["new", "before"]) }),
    async handle({ api, person, params: { project }, body: { route, to } }) {
      const pinned = await api.healing(project)?.pin({ route, to, by: person.name });
      if (pinned === undefined) return unknown("watched release");
      return pinned.kind === "done" ? { kind: "done" } : { kind: "conflict", why: pinned.why };
    },
  },

  "POST /projects/{project}/scrub": {
    summary: "What rules for secrets would leave of a text or of JSON. Nothing is stored.",
    needs: member,
    params: inProject,
    body: shape({ text: text({ max: 20_000 }), rules }),
    response: shape({ left: anyText() }),
    handle: async ({ api, body }) => ok({ left: api.administration.tryScrubbing(body.text, body.rules) }),
  },

  "GET /settings": {
    summary: "Settings of the whole service.",
    needs: ownerOfAll,
    response: settings,
    handle: async ({ api }) => ok(api.administration.settings()),
  },

  "PUT /settings": {
    summary: "Changes the settings of the whole service. They hold within a minute.",
    needs: ownerOfAll,
    body: settings,
    response: settings,
    async handle({ api, person, body }) {
      const [problem] = Object.entries(await api.administration.changeSettings(body, person.name));
      if (problem !== undefined) return { kind: "invalid", path: `/${problem[0]}`, why: problem[1] };
      return ok(api.administration.settings());
    },
  },

  "GET /storage": {
    summary: "How much disk the service uses for what, and what it had to delete.",
    needs: ownerOfAll,
    response: storageSchema,
    handle: async ({ api }) => ok(await api.storage()),
  },
};

function ownerOf(email: string): TokenOwner {
  return { kind: "person", email };
}

async function makeToken(
  api: ConsoleApi,
  of: TokenOwner,
  wish: TokenBody,
  by: string,
): Promise<ApiOutcome<NewApiToken>> {
  const made = await api.tokens.create(of, wish, by);
  return made.kind === "refused"
    ? { kind: "conflict", why: made.why }
    : { kind: "created", body: { token: made.token, secret: made.secret } };
}

/** Where the application of a project runs elsewhere, its kept submissions are there. */
async function withKept<T>(
  api: ConsoleApi,
  project: number,
  work: (kept: KeptApi) => Promise<ApiOutcome<T>>,
): Promise<ApiOutcome<T>> {
  const kept = api.kept(project);
  return kept === undefined ? unknown("application in this process") : work(kept);
}
