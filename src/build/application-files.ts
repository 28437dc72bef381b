import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathBelow, type RouteTable, readPageFiles } from "#routes";
import { buildErrors } from "./errors.ts";

/** An application described by its files. All paths are absolute, with forward slashes. */
export interface ApplicationFiles {
  root: string;
  pagesFolder: string;
  /** Path below which the application lives, such as `/_holdfast`; empty if it has the host to itself. */
  at: string;
  table: RouteTable;
  /** `src/request.server.ts`, if it exists. */
  request?: string;
  /** `src/schedules.server.ts`, if it exists. */
  schedules?: string;
  /** `src/env.server.ts`, if it exists: loaded before all other server code. */
  environment?: string;
}

export async function readApplication(folder: string, at = ""): Promise<ApplicationFiles> {
  const root = slashed(resolve(folder));
  // Plain segments only, because the path is written into addresses unescaped.
  if (!/^(?:\/[\w-]+)*$/.test(at)) throw buildErrors.wrongMountPath(at);
  const pagesFolder = `${root}/src/pages`;
  const table = readPageFiles(await listFiles(pagesFolder), at);
  const repeating = table.routes.find(({ id }) => at !== "" && pathBelow(at, id) !== undefined);
  if (repeating) throw buildErrors.repeatedPlace(at, repeating.id, repeating.page ?? repeating.server ?? "");
  const serverFile = (name: string): string | undefined =>
    ["ts", "js"].map((ending) => `${root}/src/${name}.server.${ending}`).find((file) => existsSync(file));
  const request = serverFile("request");
  const schedules = serverFile("schedules");
  const environment = serverFile("env");
  return {
    root,
    pagesFolder,
    at,
    table,
    ...(request && { request }),
    ...(schedules && { schedules }),
    ...(environment && { environment }),
  };
}

/** Lists file names below a folder, relative to it, with forward slashes; none if the folder does not exist. */
export async function listFiles(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => slashed(join(entry.parentPath, entry.name)).slice(slashed(folder).length + 1))
    .sort();
}

export function slashed(path: string): string {
  return path.replaceAll("\\", "/").replace(/(?<=.)\/$/, "");
}
