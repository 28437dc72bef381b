import type { Deploy } from "./deploys.ts";
import { type PermittedUpload, refusedUpload, type UploadAnswer, type UploadDeps } from "./upload-deps.ts";
import { anotherProject, isUploadName, namedProjects, namesProject, readUploadJson } from "./upload-fields.ts";

const longestUrl = 2_000;

/** Lists the deploys of a release, or adds one. */
export async function answerDeploys(
  { deploys, limits, now }: UploadDeps,
  { project, method, body }: PermittedUpload,
  release: string,
): Promise<UploadAnswer> {
  if (method === "GET") return { status: 200, body: deploys.ofRelease(project.id, release).map(deployBody) };
  const deploy = readUploadJson(body);
  const environment = deploy?.environment;
  if (deploy === undefined || !isUploadName(environment) || !isUploadName(release))
    return refusedUpload(400, "A deploy needs an environment.");
  const other = namedProjects(deploy.projects).find((name) => !namesProject(project, name));
  if (other !== undefined) return refusedUpload(403, anotherProject(project, other));
  const finished = Date.parse(String(deploy.dateFinished));
  const { name, url } = deploy;
  const added = {
    project: project.id,
    release,
    environment,
    ...(isUploadName(name) && { name }),
    ...(typeof url === "string" && url.length <= longestUrl && { url }),
    at: Number.isFinite(finished) ? finished : now(),
  };
  await deploys.add(added, limits.deploys);
  return { status: 201, body: deployBody(added) };
}

function deployBody({ environment, name, url, at }: Deploy): object {
  const dateFinished = new Date(at).toISOString();
  return { environment, name: name ?? null, url: url ?? null, dateStarted: null, dateFinished };
}
