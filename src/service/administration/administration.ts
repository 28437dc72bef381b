import { Scrubber, type ScrubRules } from "../filing/scrub.ts";
import type { Project, Projects } from "../projects.ts";
import { type AuditEntry, AuditLog } from "./audit-log.ts";
import { problemsOf, readSettings, type ServiceSettings, writeSettings } from "./service-settings.ts";

/** Settings that owners change. Every change is recorded in the audit log with its author. */
export interface Administration {
  addProject(name: string, by: string): Project;
  renameProject(id: number, name: string, by: string): void;
  /** Replaces the key of a project. From now on only the new one may send. */
  renewKey(id: number, by: string): void;
  settings(): ServiceSettings;
  /**
   * Returns the problems by setting. If there are none, the settings are saved, and filing applies them within a
   * minute.
   */
  changeSettings(settings: ServiceSettings, by: string): Readonly<Record<string, string>>;
  /** Returns what would be stored of a text or of JSON. */
  tryScrubbing(text: string, rules: ScrubRules): string;
  record(entry: Omit<AuditEntry, "at">): void;
  /** Entries of a project and those that concern all, newest first. */
  audit(project: number, limit: number): readonly AuditEntry[];
}

export interface AdministrationOptions {
  dataFolder: string;
  projects: () => Projects;
  now: () => number;
}

export function openAdministration({ dataFolder, projects, now }: AdministrationOptions): Administration {
  const log = new AuditLog(dataFolder);
  const record = (entry: Omit<AuditEntry, "at">): void => log.add({ at: now(), ...entry });
  return {
    addProject: (name, by) => {
      const project = projects().add(name);
      record({ by, project: project.id, what: `made the project ${name}` });
      return project;
    },
    renameProject: (id, name, by) => {
      projects().change(id, { name });
      record({ by, project: id, what: `called the project ${name}` });
    },
    renewKey: (id, by) => {
      projects().renewKey(id);
      record({ by, project: id, what: "replaced the key; the old one is refused" });
    },
    settings: () => readSettings(dataFolder),
    changeSettings: (settings, by) => {
      const problems = problemsOf(settings);
      if (Object.keys(problems).length > 0) return problems;
      const before = readSettings(dataFolder);
      writeSettings(dataFolder, settings);
      for (const what of changesBetween(before, readSettings(dataFolder))) record({ by, what });
      return problems;
    },
    tryScrubbing: (text, rules) => scrubText(text, new Scrubber(rules)),
    record,
    audit: (project, limit) => log.recent(project, limit),
  };
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
  return changes;
}

function gigabytes(bytes: number): string {
  return (bytes / 1_000_000_000).toFixed(1);
}
