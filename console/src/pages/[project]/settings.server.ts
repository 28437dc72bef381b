import { href } from "holdfast";
import { action, load, redirect } from "holdfast/server";
import { consoleApi, isAtLeast } from "holdfast/service";
import { clientSetUps } from "../../server/client-set-up.ts";
import { formOf } from "../../server/posted.ts";
import { isOwnerOfAll, type Scope, scopeOf } from "../../server/scope.ts";
import {
  addProject,
  changeMembers,
  changeService,
  changeSourceLink,
  changeUploadTokens,
  renameProject,
  renewKey,
  tryScrubbing,
} from "../../server/settings-actions.ts";
import { shownNames } from "../../server/shown-names.ts";

const auditShown = 50;

export const data = load("/[project]/settings", async ({ url, ...context }) => {
  const scope = scopeOf(context);
  const { project, role, person } = scope;
  const api = consoleApi();
  const isOwner = isAtLeast(role, "owner");
  const settings = api.administration.settings();
  return {
    now: api.now(),
    project,
    role,
    isOwner,
    decidesAll: isOwnerOfAll(person),
    reports: isAtLeast(role, "member") ? reportsTo(project.id, url.origin) : undefined,
    uploadTokens: isOwner ? api.administration.uploadTokens(project.id) : undefined,
    sourceLink: isOwner ? api.administration.sourceLink(project.id) : undefined,
    members: isOwner ? await membersOf(scope) : undefined,
    storage: { ...(await storageOf(api)), keepDays: settings.keepDays, keepBytes: settings.keepBytes },
    attachments: settings.attachments,
    scrub: isAtLeast(role, "member") ? settings.scrub : undefined,
    audit: isOwner ? await auditOf(project.id) : undefined,
  };
});

async function auditOf(project: number) {
  const [entries, nameOf] = await Promise.all([consoleApi().administration.audit(project, auditShown), shownNames()]);
  return entries.map(({ at, by, what }) => ({ at, by: nameOf(by), what }));
}

/** Disk use by purpose. */
async function storageOf(api: ReturnType<typeof consoleApi>) {
  const { files, use, sourceMapBytes, gone } = await api.storage();
  const events = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const goneOf = (kind: (typeof gone)[number]["what"]): number =>
    gone.reduce((sum, { what, why, n }) => sum + (what === kind && why !== "age" ? n : 0), 0);
  return {
    files: files.map(({ name, from, to, bytes }) => ({ name, from, to, bytes })),
    keptSince: files.at(-1)?.isLater ? files.at(-1)?.from : undefined,
    parts: [
      { what: "Events, traces and logs", bytes: events },
      { what: "Issues and counters", bytes: Math.max(0, use.store - events - sourceMapBytes) },
      { what: "Source maps", bytes: sourceMapBytes },
      { what: "Reports that wait to be filed", bytes: use.journal },
      { what: "Accounts, records and a reserve", bytes: use.other },
    ],
    gone: { events: goneOf("events"), issues: goneOf("issues"), sourceMaps: goneOf("source-maps") },
  };
}

/** Reports are accepted below the path of the console. The key permits sending, which a viewer does not need. */
function reportsTo(project: number, origin: string) {
  const key = consoleApi()
    .projects()
    .find(({ id }) => id === project)?.publicKey;
  const dsn = new URL(href("/[project]", { project }), origin);
  dsn.username = key ?? "";
  return { dsn: dsn.href, clients: clientSetUps(dsn.href) };
}

/** Undefined if the application itself identifies people. */
async function membersOf({ project, person }: Scope) {
  const { access } = consoleApi();
  if (access.kind !== "accounts") return undefined;
  const { hasPasswords = true, provider } = consoleApi().signIn ?? {};
  return {
    you: person.name,
    isOwnerOfAll: isOwnerOfAll(person),
    hasPasswords,
    provider: provider?.name,
    members: await access.accounts.membersOf(project.id),
    invites: await access.accounts.invites.forProject(project.id),
  };
}

const route = "/[project]/settings";

export const actions = {
  rename: action({ route }, ({ input, ...context }) => renameProject(scopeOf(context), formOf(input))),
  renewKey: action({ route }, (context) => renewKey(scopeOf(context))),
  sourceLink: action({ route }, ({ input, ...context }) => changeSourceLink(scopeOf(context), formOf(input))),
  uploads: action({ route }, ({ input, ...context }) => changeUploadTokens(scopeOf(context), formOf(input))),
  add: action({ route }, async ({ input, ...context }) => {
    const { id } = await addProject(scopeOf(context), formOf(input));
    return redirect("/[project]/settings", { project: id });
  }),
  members: action({ route }, ({ input, url, ...context }) =>
    changeMembers(scopeOf(context), formOf(input), url.origin),
  ),
  storage: action({ route }, ({ input, ...context }) => changeService(scopeOf(context), formOf(input))),
  attached: action({ route }, ({ input, ...context }) => changeService(scopeOf(context), formOf(input))),
  scrubbing: action({ route }, ({ input, ...context }) => changeService(scopeOf(context), formOf(input))),
  trial: action({ route, changesNothing: true }, ({ input, ...context }) =>
    tryScrubbing(scopeOf(context), formOf(input)),
  ),
};
