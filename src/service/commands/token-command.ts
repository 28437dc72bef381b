import { plainLine } from "#errors";
import { normalEmail } from "../accounts/email.ts";
import { dayMs, hourMs, systemClock } from "../clock.ts";
import { openSharedState } from "../shared/open-shared-state.ts";
import type { SharedState } from "../shared/shared-state.ts";
import type { TokenListing, TokenOwner } from "../tokens/token.ts";
import { createUploadToken, removeUploadToken } from "../uploads/upload-tokens.ts";
import { dataFolderOf, dataOption, type Options, readArguments, type ServiceCommand, wrongUse } from "./command.ts";

const usage =
  "token create NAME --scopes read,triage,upload,admin | list | revoke NAME [--project N | --person EMAIL] [--expires 90d] [--data FOLDER] [--json]";

const by = "the command line";

/** Makes, lists and revokes tokens, for set-ups without the console. `token NAME` makes one for uploads alone. */
export const tokenCommand: ServiceCommand = {
  usage,
  options: {
    "--scopes LIST": "what a new token permits: read, triage, upload, admin; several with commas",
    "--project N": "the number of the project that has the token; 1",
    "--person EMAIL": "the person who has it, in place of a project",
    "--expires TIME": "for example 90d or 12h; without it, a token does not expire",
    ...dataOption,
    "--json": "for programs",
    NAME: "alone, without a word before it: makes a token for uploads of source maps",
  },
  description: "makes, lists and revokes tokens for programs",
  async run(args, { print }) {
    const texts = { data: "text", project: "text", person: "text", scopes: "text", expires: "text" } as const;
    const { options, rest } = readArguments(args, { ...texts, json: "switch" }, usage);
    const asked = askOf(rest, options);
    const shared = await openSharedState(dataFolderOf(options));
    try {
      await shared.ready();
      await shared.projects.makeFirst();
      const owner = ownerIn(shared, options);
      const lines = await answerOf(shared, asked, owner);
      const shown = options.json === true ? [JSON.stringify(lines.json, undefined, 2)] : lines.texts;
      for (const line of shown) print(line);
      return 0;
    } finally {
      await shared.close();
    }
  },
};

type Asked =
  | { kind: "create"; name: string; scopes: readonly string[]; expires: number | undefined }
  | { kind: "create-for-uploads"; name: string }
  | { kind: "list" }
  | { kind: "revoke"; name: string };

function askOf([what = "", named = "", ...more]: readonly string[], options: Options): Asked {
  const name = named.trim();
  if (more.length > 0) throw wrongUse("A token needs one name.", usage);
  if (what === "list" && name === "") return { kind: "list" };
  if (what === "create" || what === "revoke") {
    if (name === "") throw wrongUse("A token needs one name.", usage);
    if (what === "revoke") return { kind: "revoke", name };
    const scopes = typeof options.scopes === "string" ? options.scopes.split(",").map((scope) => scope.trim()) : [];
    return { kind: "create", name, scopes, expires: expiryOf(options.expires) };
  }
  if (what.trim() === "" || name !== "") throw wrongUse("A token needs one name.", usage);
  return { kind: "create-for-uploads", name: what.trim() };
}

function expiryOf(text: string | boolean | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, count, unit] = /^([1-9]\d{0,3})([dh])$/.exec(String(text)) ?? [];
  if (count === undefined) throw wrongUse(`--expires must be a time such as 90d or 12h, got "${text}".`, usage);
  return systemClock.now() + Number(count) * (unit === "d" ? dayMs : hourMs);
}

function ownerIn(shared: SharedState, { person, project }: Options): TokenOwner {
  if (person !== undefined) {
    const email = normalEmail(String(person));
    if (email === undefined) throw wrongUse(`"${person}" is no e-mail address.`, usage);
    if (project !== undefined) throw wrongUse("A token belongs to a person or to a project.", usage);
    return { kind: "person", email };
  }
  const id = Number(project ?? 1);
  if (shared.projects.byId(id) === undefined) throw wrongUse(`There is no project ${project}.`, usage);
  return { kind: "project", project: id };
}

interface Lines {
  texts: readonly string[];
  json: unknown;
}

async function answerOf(shared: SharedState, asked: Asked, owner: TokenOwner): Promise<Lines> {
  switch (asked.kind) {
    case "create": {
      const created = await shared.tokens.create(owner, asked, by);
      if (created.kind === "refused") throw wrongUse(created.why, usage);
      return { texts: [created.secret], json: { ...created.token, token: created.secret } };
    }
    case "create-for-uploads":
      return createForUploads(shared, asked.name, owner);
    case "list":
      return listTokens(shared, owner);
    case "revoke":
      if (!(await revoke(shared, asked.name, owner))) throw wrongUse(`There is no token named ${asked.name}.`, usage);
      return { texts: [`${asked.name} is refused from now on.`], json: { revoked: asked.name } };
  }
}

async function createForUploads(shared: SharedState, name: string, owner: TokenOwner): Promise<Lines> {
  if (owner.kind === "person") throw wrongUse("A person has tokens with scopes: holdfast token create NAME.", usage);
  const now = systemClock.now();
  const created = await createUploadToken(shared.projects, owner.project, { name, now });
  if (created.kind === "refused") throw wrongUse(created.why, usage);
  await shared.audit.add({ at: now, by, project: owner.project, what: `made the upload token ${name}` });
  return { texts: [created.token], json: { name, token: created.token } };
}

async function listTokens(shared: SharedState, owner: TokenOwner): Promise<Lines> {
  const tokens = await shared.tokens.list(owner);
  const uploads = owner.kind === "project" ? (shared.projects.byId(owner.project)?.uploadTokens ?? []) : [];
  const json = [
    ...tokens,
    ...uploads.map(({ name, createdAt }) => ({ name, scopes: ["upload"], created: createdAt, isForUploads: true })),
  ];
  const texts = [
    ...tokens.map(tokenLine),
    ...uploads.map(({ name }) => `${plainLine(name)}  upload  for uploads alone`),
  ];
  return { texts: texts.length > 0 ? texts : ["There are no tokens."], json };
}

function tokenLine({ name, scopes, created, expires, used }: TokenListing): string {
  const times = [`made ${day(created)}`, used === undefined ? "never used" : `used ${day(used)}`];
  if (expires !== undefined) times.push(`${expires <= systemClock.now() ? "expired" : "expires"} ${day(expires)}`);
  return `${plainLine(name)}  ${scopes.join(",")}  ${times.join(", ")}`;
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

async function revoke(shared: SharedState, name: string, owner: TokenOwner): Promise<boolean> {
  const found = (await shared.tokens.list(owner)).find((token) => token.name === name);
  if (found !== undefined) return shared.tokens.revoke(owner, found.id, by);
  if (owner.kind === "person" || !(await removeUploadToken(shared.projects, owner.project, name))) return false;
  const entry = { at: systemClock.now(), by, project: owner.project };
  await shared.audit.add({ ...entry, what: `removed the upload token ${name}; it is refused` });
  return true;
}
