import type { Project } from "../projects.ts";
import { readUploadedCommits } from "./read-commits.ts";
import { type PermittedUpload, refusedUpload, type UploadAnswer, type UploadDeps } from "./upload-deps.ts";
import { anotherProject, isUploadName, namedProjects, namesProject, readUploadJson } from "./upload-fields.ts";

/** Lists the releases, or creates one. There is nothing to create: a release exists with its first report. */
export async function answerReleases(
  deps: UploadDeps,
  upload: PermittedUpload,
  project: string | undefined,
): Promise<UploadAnswer> {
  if (upload.method === "GET") {
    const listed = (await knownReleases(deps, upload.project)).slice(0, deps.limits.releases);
    return { status: 200, body: listed.map((release) => releaseBody(upload.project, release)) };
  }
  const release = readUploadJson(upload.body);
  const version = release?.version;
  if (release === undefined || !isUploadName(version)) return refusedUpload(400, "A release needs a version.");
  const named = project === undefined ? namedProjects(release.projects) : [project];
  return changeRelease(deps, upload, { version, change: release, named, status: 201 });
}

/** Describes a release, or changes it: its commits. When it was finished is known from its reports and deploys. */
export async function answerRelease(deps: UploadDeps, upload: PermittedUpload, version: string): Promise<UploadAnswer> {
  if (upload.method === "GET") {
    const release = (await knownReleases(deps, upload.project)).find(({ name }) => name === version);
    return release === undefined ? unknownRelease : { status: 200, body: releaseBody(upload.project, release) };
  }
  const change = readUploadJson(upload.body);
  if (change === undefined || !isUploadName(version))
    return refusedUpload(400, "A change of a release is a JSON object.");
  return changeRelease(deps, upload, { version, change, named: namedProjects(change.projects), status: 200 });
}

/** Lists the commits of a release, newest first. */
export async function answerCommits(
  { reader }: UploadDeps,
  { project }: PermittedUpload,
  version: string,
): Promise<UploadAnswer> {
  const commits = await (await reader()).commits(project.id, version);
  return { status: 200, body: commits.map(({ hash, subject }) => ({ id: hash, message: subject })) };
}

const unknownRelease = refusedUpload(404, "No report and no deploy has named this release.");

interface KnownRelease {
  readonly name: string;
  readonly firstSeen: number;
  /** Undefined without a report. */
  readonly lastSeen?: number;
  readonly newIssues: number;
}

/** Releases of reports and those that were only deployed, newest first. */
async function knownReleases({ reader, deploys }: UploadDeps, { id }: Project): Promise<KnownRelease[]> {
  const reported: readonly KnownRelease[] = await (await reader()).releases(id);
  const known = new Set(reported.map(({ name }) => name));
  const deployed = new Map<string, KnownRelease>();
  // Newest first, so the last one of a release is its first deploy.
  for (const { release, at } of deploys.of(id))
    if (!known.has(release)) deployed.set(release, { name: release, firstSeen: at, newIssues: 0 });
  return [...reported, ...deployed.values()].sort((a, b) => b.firstSeen - a.firstSeen);
}

function releaseBody(project: Project, { name, firstSeen, lastSeen, newIssues }: KnownRelease): object {
  const first = new Date(firstSeen).toISOString();
  return {
    version: name,
    dateCreated: first,
    dateReleased: first,
    lastEvent: lastSeen === undefined ? null : new Date(lastSeen).toISOString(),
    newGroups: newIssues,
    projects: [projectBody(project)],
  };
}

async function changeRelease(
  { limits, store, now }: UploadDeps,
  { project }: PermittedUpload,
  {
    version,
    change,
    named,
    status,
  }: { version: string; change: Readonly<Record<string, unknown>>; named: readonly unknown[]; status: number },
): Promise<UploadAnswer> {
  const other = named.find((name) => !namesProject(project, name));
  if (other !== undefined) return refusedUpload(403, anotherProject(project, other));
  const commits = readUploadedCommits(change.commits, limits) ?? [];
  if (commits.length > 0) await store.addCommits(project.id, version, commits);
  return {
    status,
    body: {
      version,
      dateCreated: new Date(now()).toISOString(),
      dateReleased: typeof change.dateReleased === "string" ? change.dateReleased : null,
      newGroups: 0,
      projects: [projectBody(project)],
    },
  };
}

function projectBody({ id, name }: Project): object {
  return { id, slug: String(id), name };
}
