import { readEventId } from "#protocol";

/** Purpose of a path below `/api/0/`. Build and release tools name an organisation, which has no meaning here. */
export type UploadAddress =
  /** `GET`: who may do what. */
  | { kind: "information" }
  /** `GET`: whether a Holdfast service is here. `POST`: the maps and commits of a build. */
  | { kind: "build"; project: string }
  /** `PUT`: one map of a build. */
  | { kind: "map"; project: string; debugId: string }
  /** `GET`: how to upload chunks. `POST`: chunks. */
  | { kind: "chunks"; organization: string }
  | { kind: "assemble" }
  | { kind: "releases"; project: string | undefined }
  | { kind: "release"; project: string | undefined; version: string }
  | { kind: "commits"; project: string | undefined; version: string }
  | { kind: "deploys"; project: string | undefined; version: string }
  | { kind: "previous-commits" }
  | { kind: "repositories" }
  | { kind: "unknown" };

const prefix = "/api/0";

/** Parses a path without its query. Returns undefined if it is not below `/api/0/`. */
export function readUploadAddress(path: string): UploadAddress | undefined {
  if (path !== prefix && !path.startsWith(`${prefix}/`)) return undefined;
  const parts = decoded(path.slice(prefix.length).split("/"));
  if (parts === undefined) return { kind: "unknown" };
  const [area, first, ...rest] = parts.filter((part) => part !== "");
  if (area === undefined) return { kind: "information" };
  if (area === "builds" && first !== undefined) return buildAddress(first, rest);
  if (area === "organizations" && first !== undefined) return organizationAddress(first, rest);
  const [project, what, ...more] = rest;
  if (area !== "projects" || what !== "releases") return { kind: "unknown" };
  return more.length === 0 ? { kind: "releases", project } : releaseAddress(project, more);
}

function buildAddress(project: string, rest: readonly string[]): UploadAddress {
  const [id] = rest;
  if (id === undefined) return { kind: "build", project };
  const debugId = readEventId(id);
  return debugId === undefined || rest.length > 1 ? { kind: "unknown" } : { kind: "map", project, debugId };
}

function organizationAddress(organization: string, rest: readonly string[]): UploadAddress {
  switch (rest.join("/")) {
    case "chunk-upload":
      return { kind: "chunks", organization };
    case "artifactbundle/assemble":
      return { kind: "assemble" };
    case "repos":
      return { kind: "repositories" };
    case "releases":
      return { kind: "releases", project: undefined };
  }
  return rest[0] === "releases" ? releaseAddress(undefined, rest.slice(1)) : { kind: "unknown" };
}

function releaseAddress(project: string | undefined, [version = "", what, ...more]: readonly string[]): UploadAddress {
  if (more.length > 0) return { kind: "unknown" };
  switch (what) {
    case undefined:
      return { kind: "release", project, version };
    case "commits":
    case "deploys":
      return { kind: what, project, version };
    case "previous-with-commits":
      return { kind: "previous-commits" };
  }
  return { kind: "unknown" };
}

function decoded(parts: readonly string[]): string[] | undefined {
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
