import { readUploadedCommits } from "./read-commits.ts";
import { type PermittedUpload, refusedUpload, type UploadAnswer, type UploadDeps } from "./upload-deps.ts";
import { anotherProject, namedProjects, namesProject, readUploadJson } from "./upload-fields.ts";

const longestName = 200;
const longestUrl = 2_000;

/** Creates a release. There is nothing to create: a release exists with its first report. */
export async function answerReleases(
  deps: UploadDeps,
  upload: PermittedUpload,
  project: string | undefined,
): Promise<UploadAnswer> {
  if (upload.method === "GET") return refusedUpload(410, "The releases are on a screen of the console.");
  const release = readUploadJson(upload.body);
  const version = release?.version;
  if (release === undefined || !isName(version)) return refusedUpload(400, "A release needs a version.");
  const named = project === undefined ? namedProjects(release.projects) : [project];
  return changeRelease(deps, upload, { version, change: release, named, status: 201 });
}

/** Changes a release: its commits. When it was finished is known from its reports. */
export async function answerRelease(deps: UploadDeps, upload: PermittedUpload, version: string): Promise<UploadAnswer> {
  const change = readUploadJson(upload.body);
  if (change === undefined || !isName(version)) return refusedUpload(400, "A change of a release is a JSON object.");
  return changeRelease(deps, upload, { version, change, named: namedProjects(change.projects), status: 200 });
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
      projects: [{ id: project.id, slug: String(project.id), name: project.name }],
    },
  };
}

/** Lists the deploys of a release, or adds one. */
export async function answerDeploys(
  { deploys, limits, now }: UploadDeps,
  { project, method, body }: PermittedUpload,
  release: string,
): Promise<UploadAnswer> {
  if (method === "GET") return { status: 200, body: deploys.of(project.id, release).map(deployBody) };
  const deploy = readUploadJson(body);
  const environment = deploy?.environment;
  if (deploy === undefined || !isName(environment) || !isName(release))
    return refusedUpload(400, "A deploy needs an environment.");
  const other = namedProjects(deploy.projects).find((name) => !namesProject(project, name));
  if (other !== undefined) return refusedUpload(403, anotherProject(project, other));
  const finished = Date.parse(String(deploy.dateFinished));
  const { name, url } = deploy;
  const added = {
    project: project.id,
    release,
    environment,
    ...(isName(name) && { name }),
    ...(typeof url === "string" && url.length <= longestUrl && { url }),
    at: Number.isFinite(finished) ? finished : now(),
  };
  await deploys.add(added, limits.deploys);
  return { status: 201, body: deployBody(added) };
}

function deployBody({
  environment,
  name,
  url,
  at,
}: {
  environment: string;
  name?: string | undefined;
  url?: string | undefined;
  at: number;
}) {
  const dateFinished = new Date(at).toISOString();
  return { environment, name: name ?? null, url: url ?? null, dateStarted: null, dateFinished };
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= longestName;
}
