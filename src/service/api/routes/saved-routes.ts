import { isAtLeast, roleIn } from "../../accounts/people.ts";
import { type SavedSearch, savedSearchLimits, searchScreens } from "../../administration/saved-searches.ts";
import type { ApiSavedSearch, SavedOperations } from "../operations/saved-operations.ts";
import {
  type ApiCall,
  type ApiOutcome,
  memberReads,
  ok,
  owner,
  type RoutesOf,
  unknown,
  viewer,
  viewerChanges,
} from "../route.ts";
import { type ApiSchema, anyText, flag, list, named, oneOf, shape, text, time } from "../schema/schema.ts";
import { byId, inIssue, inProject, listSchema, name, projectNumber } from "./shared-schemas.ts";

type SavedRoutes = RoutesOf<SavedOperations>;

const { nameLength, searchLength } = savedSearchLimits;

const search: ApiSchema<ApiSavedSearch> = named(
  "SavedSearch",
  shape({
    id: anyText(),
    screen: oneOf(searchScreens),
    name: anyText(),
    search: anyText("As in the address of the screen, without the question mark."),
    isShared: flag({ description: "Everyone in the project sees it." }),
  }),
);

const searchName = text({ min: 1, max: nameLength, pattern: "\\S" });
const template = text({ max: 2_000 });

/** What a project keeps besides its reports: searches, the way to tickets, tokens for uploads. */
export const savedRoutes: SavedRoutes = {
  "GET /projects/{project}/searches": {
    summary: "Saved searches of the caller, and those that the project shares.",
    needs: viewer,
    params: inProject,
    response: listSchema(search),
    handle: async ({ api, person, params: { project } }) =>
      ok({ items: api.searches.of(project, person.name).map(shownSearch) }),
  },

  "POST /projects/{project}/searches": {
    summary: "Saves a search. One with the same name is replaced. Members may share it.",
    needs: viewerChanges,
    params: inProject,
    body: shape(
      { screen: oneOf(searchScreens), name: searchName, search: text({ max: searchLength }) },
      { isShared: flag() },
    ),
    response: search,
    async handle({ api, person, params: { project }, body: { isShared = false, ...wish } }) {
      if (isShared && !isAtLeast(roleIn(person, project), "member")) return { kind: "forbidden", role: "member" };
      const owned = { ...wish, project, owner: isShared ? undefined : person.name };
      const outcome = await api.searches.save(owned, person.name);
      switch (outcome.kind) {
        case "saved":
          return { kind: "created", body: shownSearch(outcome.saved) };
        case "full":
          return { kind: "conflict", why: `There are ${outcome.most} already. Remove one first.` };
        default:
          return { kind: "invalid", path: "/name", why: "It is empty or too long." };
      }
    },
  },

  "PATCH /projects/{project}/searches/{id}": {
    summary: "Renames a saved search.",
    needs: viewerChanges,
    params: byId,
    body: shape({ name: searchName }),
    handle: (call) => changeSearch(call, (place) => call.api.searches.rename(place, call.body.name)),
  },

  "DELETE /projects/{project}/searches/{id}": {
    summary: "Removes a saved search.",
    needs: viewerChanges,
    params: byId,
    handle: (call) => changeSearch(call, (place) => call.api.searches.remove(place)),
  },

  "GET /projects/{project}/ticket-template": {
    summary: "Template of the addresses that open new tickets, empty if there is none, and those of known services.",
    needs: viewer,
    params: inProject,
    response: shape({ template: anyText(), known: list(shape({ name: anyText(), template: anyText() })) }),
    handle: async ({ api: { tickets }, params: { project } }) =>
      ok({ template: tickets.template(project), known: tickets.known }),
  },

  "PUT /projects/{project}/ticket-template": {
    summary: "Changes the template. An empty one ends the links to new tickets.",
    needs: owner,
    params: inProject,
    body: shape({ template }),
    async handle({ api, person, params: { project }, body }) {
      const problem = await api.tickets.changeTemplate(project, body.template, person.name);
      return problem === undefined ? { kind: "done" } : { kind: "invalid", path: "/template", why: problem };
    },
  },

  "GET /projects/{project}/issues/{number}/new-ticket": {
    summary: "Address that opens a new ticket about an issue, with title and Markdown filled in.",
    needs: memberReads,
    params: inIssue,
    response: shape({ address: anyText() }),
    async handle({ api, params: { project, number }, consoleAddress }) {
      const address = await api.tickets.newTicket(project, number, consoleAddress);
      return address === undefined ? unknown("issue, or no template of tickets") : ok({ address });
    },
  },

  "GET /projects/{project}/upload-tokens": {
    summary: "Tokens with which `sentry-cli` uploads source maps, without their text.",
    needs: owner,
    params: inProject,
    response: listSchema(named("UploadToken", shape({ name: anyText(), createdAt: time() }))),
    handle: async ({ api, params: { project } }) => ok({ items: api.administration.uploadTokens(project) }),
  },

  "POST /projects/{project}/upload-tokens": {
    summary: "Makes a token for uploads in the form that `sentry-cli` accepts.",
    needs: owner,
    params: inProject,
    body: shape({ name }),
    response: shape({ token: anyText("It is shown only now.") }),
    async handle({ api, person, params: { project }, body }) {
      const made = await api.administration.createUploadToken(project, body.name.trim(), person.name);
      return made.kind === "refused"
        ? { kind: "conflict", why: made.why }
        : { kind: "created", body: { token: made.token } };
    },
  },

  "DELETE /projects/{project}/upload-tokens/{name}": {
    summary: "Removes a token for uploads. It is refused from then on.",
    needs: owner,
    params: shape({ project: projectNumber, name }),
    handle: async ({ api, person, params }) =>
      (await api.administration.removeUploadToken(params.project, params.name, person.name))
        ? { kind: "done" }
        : unknown("token"),
  },
};

function shownSearch({ project: _, owner: who, ...one }: SavedSearch): ApiSavedSearch {
  return { ...one, isShared: who === undefined };
}

/** Shared searches belong to the project: viewers leave them as they are. */
async function changeSearch(
  {
    api,
    person,
    params: { project, id },
  }: Pick<ApiCall<SavedOperations["DELETE /projects/{project}/searches/{id}"]>, "api" | "person" | "params">,
  change: (place: { project: number; person: string; id: string }) => Promise<boolean>,
): Promise<ApiOutcome<never>> {
  const found = api.searches.of(project, person.name).find((one) => one.id === id);
  if (found === undefined) return unknown("search");
  if (found.owner === undefined && !isAtLeast(roleIn(person, project), "member"))
    return { kind: "forbidden", role: "member" };
  return (await change({ project, person: person.name, id })) ? { kind: "done" } : unknown("search");
}
