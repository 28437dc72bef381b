import type { Project, Projects } from "../projects.ts";
import type { UploadDeps } from "./upload-deps.ts";
import { anotherProject, namesProject } from "./upload-fields.ts";
import { projectOfToken } from "./upload-tokens.ts";

export type UploadPermit =
  | { readonly kind: "permitted"; readonly project: Project }
  | { readonly kind: "refused"; readonly status: 401 | 403 | 429; readonly why: string };

interface Sender {
  readonly authorization: string | undefined;
  readonly address: string;
  /** The project that the request names, if its address does. */
  readonly named: string | undefined;
}

/** Finds the project to which the token of a request permits uploads. It is an upload token, or has this scope. */
export async function permittedProject(
  { projects, admit }: Pick<UploadDeps, "projects" | "admit">,
  { authorization, address, named }: Sender,
): Promise<UploadPermit> {
  const token = /^Bearer\s+(\S+)$/i.exec(authorization ?? "")?.[1];
  if (token === undefined) return { kind: "refused", status: 401, why: noToken };
  const own = projectOfToken(projects, token);
  if (own !== undefined) return isOther(own, named) ? refusedFor(own, named) : { kind: "permitted", project: own };
  const admission = await admit(token, address);
  switch (admission.kind) {
    case "unknown":
      return { kind: "refused", status: 401, why: noToken };
    case "expired":
      return { kind: "refused", status: 401, why: "The token has expired. Create another." };
    case "wait":
      return { kind: "refused", status: 429, why: `Too many wrong tokens. Try again in ${admission.seconds} s.` };
    case "granted":
      return grantedProject(projects, admission.mayUpload, named);
  }
}

function grantedProject(
  projects: Projects,
  mayUpload: (project: number) => boolean,
  named: string | undefined,
): UploadPermit {
  const permitted = projects.all.filter(({ id }) => mayUpload(id));
  const [first] = permitted;
  if (first === undefined) return { kind: "refused", status: 403, why: noScope };
  const found = permitted.filter((project) => !isOther(project, named));
  const [only] = found;
  if (only === undefined) return refusedFor(first, named);
  return found.length === 1 ? { kind: "permitted", project: only } : { kind: "refused", status: 403, why: several };
}

function isOther(project: Project, named: string | undefined): boolean {
  return named !== undefined && !namesProject(project, named);
}

function refusedFor(project: Project, named: string | undefined): UploadPermit {
  return { kind: "refused", status: 403, why: anotherProject(project, named) };
}

const noToken =
  "The request has no upload token of this service. Create one in the settings of the project, and send it as Authorization: Bearer TOKEN.";
const noScope = "The token does not permit uploads. It needs the scope upload, and its person the role of a member.";
const several =
  "The token permits uploads to several projects, and the request names none. Use a token of the project.";
