import type { PersonRefusal, RefusalLine, RefusalLog } from "../accounts/refusal-log.ts";
import { problemOfSourceLink, type SourcePlace, sourceLinkOf } from "../builds/source-link.ts";
import { Scrubber, type ScrubRules } from "../filing/scrub.ts";
import type { Project, Projects, UploadToken } from "../projects.ts";
import { createUploadToken, type NewUploadToken, removeUploadToken } from "../uploads/upload-tokens.ts";
import { type AlertAdministration, openAlertAdministration } from "./alert-administration.ts";
import type { AlertSettings } from "./alert-documents.ts";
import type { AuditEntry, AuditLog } from "./audit-log.ts";
import { problemsOf, type ServiceSettings, type Settings } from "./service-settings.ts";

/** Settings that owners change. Every change is recorded in the audit log with its author. */
export interface Administration {
  addProject(name: string, by: string): Promise<Project>;
  renameProject(id: number, name: string, by: string): Promise<void>;
  /** Replaces the key of a project. From now on only the new one may send. */
  renewKey(id: number, by: string): Promise<void>;
  /** Template of links to the repository. Empty if there is none. */
  sourceLink(id: number): string;
  /** Returns the address of a line in the repository, if there is a template. */
  linkToSource(id: number, place: SourcePlace): string | undefined;
  /** Returns what is wrong with the template. If nothing is, it is saved. An empty one ends the links. */
  changeSourceLink(id: number, template: string, by: string): Promise<string | undefined>;
  /** Tokens that permit uploads to a project, without their text. */
  uploadTokens(id: number): readonly Pick<UploadToken, "name" | "createdAt">[];
  /** Creates a token. Its text is in the answer and nowhere else. */
  createUploadToken(id: number, name: string, by: string): Promise<NewUploadToken>;
  /** Resolves with whether there was a token of this name. */
  removeUploadToken(id: number, name: string, by: string): Promise<boolean>;
  settings(): ServiceSettings;
  /**
   * Returns the problems by setting. If there are none, the settings are saved, and filing applies them within a
   * minute.
   */
  changeSettings(settings: ServiceSettings, by: string): Promise<Readonly<Record<string, string>>>;
  /** Returns what would be stored of a text or of JSON. */
  tryScrubbing(text: string, rules: ScrubRules): string;
  /** Channels and rules of a project's alerts. */
  readonly alerts: AlertAdministration;
  record(entry: Omit<AuditEntry, "at">): Promise<void>;
  /** Notes that a person was refused. Within a quarter of an hour, equal refusals are one entry. */
  refuse(refusal: PersonRefusal): Promise<void>;
  /** Entries of a project and those that concern all, and who was refused, newest first. */
  audit(project: number, limit: number): Promise<readonly AuditEntry[]>;
}

export interface AdministrationDeps {
  readonly projects: Projects;
  readonly settings: Settings;
  readonly audit: AuditLog;
  readonly refusals: RefusalLog;
  readonly alertSettings: AlertSettings;
}

export function openAdministration(
  deps: AdministrationDeps,
  now: () => number,
  beforeFirstChannel: (project: number) => Promise<void>,
): Administration {
  const record = (entry: Omit<AuditEntry, "at">): Promise<void> => deps.audit.add({ at: now(), ...entry });
  return {
    addProject: async (name, by) => {
      const project = await deps.projects.add(name);
      await record({ by, project: project.id, what: `made the project ${name}` });
      return project;
    },
    renameProject: async (id, name, by) => {
      await deps.projects.change(id, { name });
      await record({ by, project: id, what: `called the project ${name}` });
    },
    renewKey: async (id, by) => {
      await deps.projects.renewKey(id);
      await record({ by, project: id, what: "replaced the key; the old one is refused" });
    },
    sourceLink: (id) => deps.projects.byId(id)?.sourceLink ?? "",
    linkToSource: (id, place) => sourceLinkOf(deps.projects.byId(id)?.sourceLink ?? "", place),
    changeSourceLink: async (id, template, by) => {
      const problem = template === "" ? undefined : problemOfSourceLink(template);
      if (problem !== undefined) return problem;
      await deps.projects.change(id, { sourceLink: template });
      await record({
        by,
        project: id,
        what: template === "" ? "ended links to the repository" : `links to ${template}`,
      });
      return undefined;
    },
    uploadTokens: (id) =>
      (deps.projects.byId(id)?.uploadTokens ?? []).map(({ name, createdAt }) => ({ name, createdAt })),
    createUploadToken: async (id, name, by) => {
      const created = await createUploadToken(deps.projects, id, { name, now: now() });
      if (created.kind === "created") await record({ by, project: id, what: `made the upload token ${name}` });
      return created;
    },
    removeUploadToken: async (id, name, by) => {
      const isRemoved = await removeUploadToken(deps.projects, id, name);
      if (isRemoved) await record({ by, project: id, what: `removed the upload token ${name}; it is refused` });
      return isRemoved;
    },
    settings: () => deps.settings.read(),
    changeSettings: async (settings, by) => {
      const problems = problemsOf(settings);
      if (Object.keys(problems).length > 0) return problems;
      const before = deps.settings.read();
      await deps.settings.change(settings);
      for (const what of changesBetween(before, deps.settings.read())) await record({ by, what });
      return problems;
    },
    alerts: openAlertAdministration({ settings: deps.alertSettings, record, beforeFirstChannel }),
    tryScrubbing: (text, rules) => scrubText(text, new Scrubber(rules)),
    record,
    refuse: (refusal) => deps.refusals.add(refusal),
    audit: async (project, limit) => {
      const [decided, refused] = await Promise.all([
        deps.audit.recent(project, limit),
        deps.refusals.recent(project, limit),
      ]);
      return [...decided, ...refused.map(entryOf)].sort((one, other) => other.at - one.at).slice(0, limit);
    },
  };
}

function entryOf({ at, who = "An unknown address", project, why, count }: RefusalLine): AuditEntry {
  const times = count === 1 ? "" : ` ${count} times`;
  return { at, by: who, what: `was refused${times}: ${why}`, ...(project !== undefined && { project }) };
}

function scrubText(text: string, scrubber: Scrubber): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return JSON.stringify(scrubber.value(value), undefined, 2);
  } catch {
    // Not JSON: scrubbed as text, like a message or a URL.
  }
  return scrubber.text(text);
}

function changesBetween(before: ServiceSettings, after: ServiceSettings): string[] {
  const changes: string[] = [];
  if (before.keepDays !== after.keepDays)
    changes.push(`keeps events for ${after.keepDays} days, before ${before.keepDays}`);
  if (before.keepBytes !== after.keepBytes)
    changes.push(`keeps at most ${gigabytes(after.keepBytes)} GB, before ${gigabytes(before.keepBytes)}`);
  if (before.scrub.alsoSecret.join() !== after.scrub.alsoSecret.join())
    changes.push(`takes out what is called ${after.scrub.alsoSecret.join(", ") || "as it comes"}`);
  if (before.scrub.keepAddresses !== after.scrub.keepAddresses)
    changes.push(after.scrub.keepAddresses ? "keeps addresses of visitors" : "no longer keeps addresses of visitors");
  changes.push(...changesOfAttachments(before.attachments, after.attachments));
  return changes;
}

function changesOfAttachments(before: ServiceSettings["attachments"], after: ServiceSettings["attachments"]): string[] {
  const changes: string[] = [];
  if (before.keep !== after.keep) changes.push(after.keep ? "keeps attached files" : "no longer keeps attached files");
  const names = { fileBytes: "file", eventBytes: "event", dayBytes: "project and day" } as const;
  for (const name of ["fileBytes", "eventBytes", "dayBytes"] as const)
    if (before[name] !== after[name])
      changes.push(
        `keeps at most ${megabytes(after[name])} MB attached per ${names[name]}, before ${megabytes(before[name])}`,
      );
  return changes;
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}

function gigabytes(bytes: number): string {
  return (bytes / 1_000_000_000).toFixed(1);
}
