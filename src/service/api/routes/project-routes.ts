import { isRole, type Role, roleIn } from "../../accounts/people.ts";
import type { ConsoleApi } from "../../console-api/console-api.ts";
import type { Project } from "../../projects.ts";
import { readTimeCursor, timePage } from "../cursor.ts";
import type { ApiProject, ProjectOperations } from "../operations/project-operations.ts";
import type { ApiKey } from "../operations/shared-types.ts";
import { identified, ok, owner, ownerOfAll, type RoutesOf, unknown, viewer } from "../route.ts";
import type { AsJson } from "../schema/as-json.ts";
import { type ApiSchema, anyText, flag, list, named, oneOf, shape, text, time, whole } from "../schema/schema.ts";
import { wrongCursor } from "./issue-routes.ts";
import { accountsOf, email, inPerson, noAccounts } from "./people-of-api.ts";
import { cursor, inProject, limit, listSchema, name, pageSchema, role } from "./shared-schemas.ts";

type ProjectRoutes = RoutesOf<ProjectOperations>;

const project: ApiSchema<AsJson<ApiProject>> = named(
  "Project",
  shape({ id: whole(), name: anyText() }, { sourceLink: anyText("Template of links to lines of the repository.") }),
);

const key: ApiSchema<ApiKey> = named(
  "Key",
  shape({ publicKey: anyText(), dsn: anyText("What a client of Sentry needs to send reports.") }),
);

/** Entries of the audit log that can be read page by page. */
const auditEntries = 2_000;

export const projectRoutes: ProjectRoutes = {
  "GET /me": {
    summary: "Who the caller is, and in which projects.",
    needs: identified,
    response: named(
      "Me",
      shape(
        { name: anyText(), projects: list(shape({ id: whole(), name: anyText(), role })) },
        { scopes: list(oneOf(["read", "triage", "upload", "admin"])) },
      ),
    ),
    async handle({ api, person, scopes }) {
      const projects = api.projects().flatMap((one) => {
        const own = roleIn(person, one.id);
        return own === undefined ? [] : [{ id: one.id, name: one.name, role: own }];
      });
      return ok({ name: person.name, projects, ...(scopes && { scopes: [...scopes] }) });
    },
  },

  "GET /projects": {
    summary: "Projects that the caller may see.",
    needs: identified,
    response: listSchema(project),
    handle: async ({ api, person }) =>
      ok({ items: api.projects().filter(({ id }) => roleIn(person, id) !== undefined) }),
  },

  "POST /projects": {
    summary: "Makes a project. Only for owners of all projects.",
    needs: ownerOfAll,
    body: shape({ name }),
    response: project,
    handle: async ({ api, person, body }) => ({
      kind: "created",
      body: await api.administration.addProject(body.name.trim(), person.name),
    }),
  },

  "GET /projects/{project}": {
    summary: "One project.",
    needs: viewer,
    params: inProject,
    response: project,
    handle: async ({ api, params }) => found(projectOf(api, params.project)),
  },

  "PATCH /projects/{project}": {
    summary: "Renames a project, or changes the template of links to its repository. An empty one ends the links.",
    needs: owner,
    params: inProject,
    body: shape({}, { name, sourceLink: text({ max: 500 }) }),
    response: project,
    async handle({ api, person, params, body }) {
      const problem =
        body.sourceLink === undefined
          ? undefined
          : await api.administration.changeSourceLink(params.project, body.sourceLink, person.name);
      if (problem !== undefined) return { kind: "invalid", path: "/sourceLink", why: problem };
      if (body.name !== undefined)
        await api.administration.renameProject(params.project, body.name.trim(), person.name);
      return found(projectOf(api, params.project));
    },
  },

  "POST /projects/{project}/keys/renew": {
    summary: "Replaces the key. Clients with the old one are refused.",
    needs: owner,
    params: inProject,
    response: key,
    async handle({ api, person, params, consoleAddress }) {
      await api.administration.renewKey(params.project, person.name);
      const own = projectOf(api, params.project);
      return own === undefined ? unknown("project") : ok(keyOf(own, consoleAddress));
    },
  },

  "GET /projects/{project}/people": {
    summary: "People with a role in the project, and open invites.",
    needs: owner,
    params: inProject,
    response: shape({
      items: list(named("Person", shape({ email: anyText(), role, everywhere: flag() }, { name: anyText() }))),
      invites: list(shape({ email: anyText(), role, ends: time() })),
    }),
    async handle({ api, params }) {
      const accounts = accountsOf(api);
      if (accounts === undefined) return noAccounts;
      return ok({
        items: await accounts.membersOf(params.project),
        invites: await accounts.invites.forProject(params.project),
      });
    },
  },

  "POST /projects/{project}/people": {
    summary: "Invites a person. The link works once, for three days.",
    needs: owner,
    params: inProject,
    body: shape({ email, role }),
    response: shape({ link: anyText("Send it to the person. It is shown only now.") }),
    async handle({ api, person, params, body, consoleAddress }) {
      const accounts = accountsOf(api);
      if (accounts === undefined) return noAccounts;
      const secret = await accounts.invites.createForProject(params.project, body.role, body.email);
      if (secret === undefined) return { kind: "invalid", path: "/email", why: "This is no e-mail address." };
      const what = `invited ${body.email} as ${body.role}`;
      await api.administration.record({ by: person.name, project: params.project, what });
      return { kind: "created", body: { link: `${consoleAddress}/welcome/${secret}` } };
    },
  },

  "PUT /projects/{project}/people/{email}": {
    summary: "Changes the role of a person in the project.",
    needs: owner,
    params: inPerson,
    body: shape({ role }),
    handle: ({ api, person, params, body }) =>
      changeRole(api, { ...params, role: body.role, by: person.name, what: `made ${params.email} ${body.role}` }),
  },

  "DELETE /projects/{project}/people/{email}": {
    summary: "Removes a person from the project, or takes an invite back. Sessions and tokens end at once.",
    needs: owner,
    params: inPerson,
    async handle({ api, person, params }) {
      const by = person.name;
      if (await accountsOf(api)?.invites.cancel(params.project, params.email)) {
        const what = `took the invite of ${params.email} back`;
        await api.administration.record({ by, project: params.project, what });
        return { kind: "done" };
      }
      return changeRole(api, { ...params, role: undefined, by, what: `removed ${params.email}` });
    },
  },

  "GET /projects/{project}/audit": {
    summary: "What people have changed, and who was refused, newest first.",
    needs: owner,
    params: inProject,
    query: shape({ limit }, { cursor }),
    response: pageSchema(
      named("AuditEntry", shape({ at: time(), by: anyText(), what: anyText("A predicate for `by`.") })),
    ),
    async handle({ api, params, query }) {
      const after = query.cursor === undefined ? undefined : readTimeCursor(query.cursor);
      if (query.cursor !== undefined && after === undefined) return wrongCursor;
      return ok(timePage(await api.administration.audit(params.project, auditEntries), after, query.limit));
    },
  },
};

function projectOf(api: ConsoleApi, id: number): Project | undefined {
  return api.projects().find((one) => one.id === id);
}

function found(own: Project | undefined): ReturnType<typeof ok<ApiProject>> | ReturnType<typeof unknown> {
  return own === undefined ? unknown("project") : ok<ApiProject>(own);
}

/** Reports are accepted below the path of the console. */
function keyOf({ id, publicKey }: Project, consoleAddress: string): ApiKey {
  const dsn = new URL(`${consoleAddress}/${id}`);
  dsn.username = publicKey;
  return { publicKey, dsn: dsn.href };
}

interface RoleChange {
  readonly project: number;
  readonly email: string;
  readonly role: Role | undefined;
  readonly by: string;
  readonly what: string;
}

async function changeRole(api: ConsoleApi, { project: id, email: who, role: wanted, by, what }: RoleChange) {
  const accounts = accountsOf(api);
  if (accounts === undefined) return noAccounts;
  if (await accounts.setRole(id, who, wanted)) {
    await api.administration.record({ by, project: id, what });
    return { kind: "done" } as const;
  }
  const everywhere = (await accounts.all()).some((one) => one.email === who && isRole(one.roles));
  if (!everywhere) return unknown("person");
  return { kind: "conflict", why: "This person has a role in all projects, which no single project changes." } as const;
}
