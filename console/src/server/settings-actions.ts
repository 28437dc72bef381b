import { href } from "holdfast";
import { invalid, notFound } from "holdfast/server";
import { consoleApi, type Role, type ServiceSettings } from "holdfast/service";
import { typedBytes } from "../parts/settings/typed-bytes.ts";
import { textIn } from "./posted.ts";
import type { Said } from "./said.ts";
import { needs, needsOwnerOfAll, type Scope } from "./scope.ts";

const longestName = 80;

export async function renameProject(scope: Scope, form: FormData): Promise<Said> {
  needs(scope, "owner");
  await consoleApi().administration.renameProject(scope.project.id, nameIn(form), scope.person.name);
  return { said: "Renamed." };
}

export async function renewKey(scope: Scope): Promise<Said> {
  needs(scope, "owner");
  await consoleApi().administration.renewKey(scope.project.id, scope.person.name);
  return { said: "The key is new. Clients with the old one are refused." };
}

export async function changeUploadTokens(scope: Scope, form: FormData): Promise<Said> {
  needs(scope, "owner");
  const { administration } = consoleApi();
  const { project, person } = scope;
  const name = nameIn(form);
  switch (textIn(form, "do")) {
    case "create": {
      const created = await administration.createUploadToken(project.id, name, person.name);
      if (created.kind === "refused") return invalid({ name: created.why });
      return { said: `This is the token ${name}. It is shown only now.`, secret: created.token };
    }
    case "remove":
      if (!(await administration.removeUploadToken(project.id, name, person.name)))
        invalid({ "": `There is no token named ${name} any more.` });
      return { said: `${name} is refused from now on.` };
    default:
      return invalid({ "": "There is nothing of that name to do." });
  }
}

export async function changeSourceLink(scope: Scope, form: FormData): Promise<Said> {
  needs(scope, "owner");
  const template = textIn(form, "template", 501);
  const { administration } = consoleApi();
  const problem = await administration.changeSourceLink(scope.project.id, template, scope.person.name);
  if (problem !== undefined) invalid({ template: problem });
  return { said: template === "" ? "Frames lead nowhere now." : "Kept. Frames of the application lead there." };
}

export async function addProject(scope: Scope, form: FormData): Promise<{ id: number }> {
  needsOwnerOfAll(scope);
  return consoleApi().administration.addProject(nameIn(form), scope.person.name);
}

export async function changeMembers(scope: Scope, form: FormData, origin: string): Promise<Said> {
  needs(scope, "owner");
  const { access, administration } = consoleApi();
  if (access.kind !== "accounts") notFound();
  const { accounts } = access;
  const { project, person } = scope;
  const email = textIn(form, "email", 254);
  const record = (what: string): Promise<void> => administration.record({ by: person.name, project: project.id, what });
  switch (textIn(form, "do")) {
    case "invite": {
      const role = roleIn(form);
      const secret =
        (await accounts.invites.createForProject(project.id, role, email)) ??
        invalid({ email: "This is no e-mail address." });
      await record(`invited ${email} as ${role}`);
      return {
        said: `Send this link to ${email}. It works once, for three days.`,
        link: origin + href("/welcome/[secret]", { secret }),
      };
    }
    case "cancel":
      if (!(await accounts.invites.cancel(project.id, email))) invalid({ "": `${email} is not invited any more.` });
      await record(`took the invite of ${email} back`);
      return { said: `${email} is no longer invited.` };
    case "role": {
      const role = roleIn(form);
      if (!(await accounts.setRole(project.id, email, role)))
        invalid({ "": `${email} has no role that this project decides about.` });
      await record(`made ${email} ${role}`);
      return { said: `${email} is ${role} now.` };
    }
    case "sessions": {
      const member = (await accounts.membersOf(project.id)).find((one) => one.email === email);
      // An owner of one project has no power over those of all.
      if (member?.everywhere) needsOwnerOfAll(scope);
      if (!(await consoleApi().signIn?.endSessions(project.id, email, person.name)))
        invalid({ "": `${email} has no role in this project.` });
      return { said: `${email} is signed out everywhere, and may sign in again.` };
    }
    case "remove":
      if (!(await accounts.setRole(project.id, email, undefined)))
        invalid({ "": `${email} has no role that this project decides about.` });
      await record(`removed ${email}`);
      return { said: `${email} cannot see this project any more.` };
    default:
      return invalid({ "": "There is nothing of that name to do." });
  }
}

export async function changeService(scope: Scope, form: FormData): Promise<Said> {
  needsOwnerOfAll(scope);
  const problems = await consoleApi().administration.changeSettings(settingsIn(form), scope.person.name);
  if (Object.keys(problems).length > 0) invalid({ ...problems });
  return { said: "Kept. It holds within a minute, for what comes from then on." };
}

/** Returns what the rules of the form would leave of a text, with the input. Nothing is stored. */
export function tryScrubbing(scope: Scope, form: FormData): Tried {
  needs(scope, "member");
  const sample = textIn(form, "sample", 20_000);
  const { scrub } = settingsIn(form);
  return { left: consoleApi().administration.tryScrubbing(sample, scrub), sample, scrub };
}

export interface Tried {
  left: string;
  sample: string;
  scrub: ServiceSettings["scrub"];
}

function settingsIn(form: FormData): ServiceSettings {
  const kept = consoleApi().administration.settings();
  return {
    keepDays: form.has("keepDays") ? Number(textIn(form, "keepDays")) : kept.keepDays,
    keepBytes: form.has("keepGigabytes")
      ? typedBytes(textIn(form, "keepGigabytes"), 1_000_000_000, kept.keepBytes)
      : kept.keepBytes,
    scrub: form.has("alsoSecret") ? scrubIn(form) : kept.scrub,
    attachments: form.has("attachedFile") ? attachmentsIn(form, kept.attachments) : kept.attachments,
  };
}

function scrubIn(form: FormData): ServiceSettings["scrub"] {
  return {
    alsoSecret: textIn(form, "alsoSecret")
      .split(/[\s,]+/)
      .filter((name) => name !== ""),
    keepAddresses: form.get("keepAddresses") === "on",
  };
}

function attachmentsIn(form: FormData, kept: ServiceSettings["attachments"]): ServiceSettings["attachments"] {
  const bytesOf = (name: string, before: number): number => typedBytes(textIn(form, name), 1_000_000, before);
  return {
    keep: form.get("keepAttached") === "on",
    fileBytes: bytesOf("attachedFile", kept.fileBytes),
    eventBytes: bytesOf("attachedEvent", kept.eventBytes),
    dayBytes: bytesOf("attachedDay", kept.dayBytes),
  };
}

function nameIn(form: FormData): string {
  return textIn(form, "name", longestName) || invalid({ name: "Give it a name." });
}

function roleIn(form: FormData): Role {
  const role = textIn(form, "role");
  return role === "viewer" || role === "member" || role === "owner" ? role : invalid({ role: "Choose a role." });
}
