import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
  fileActions,
  fixedPaths,
  type ImageSettings,
  type PathSegment,
  pathBelow,
  problemOfAssets,
  problemOfExtensions,
  problemOfImages,
  problemOfTrailingSlash,
  type ReadImageSettings,
  type ReadLanguages,
  type RouteEntry,
  type RouteTable,
  readImageSettings,
  readLanguages,
  readPageFiles,
  splitLanguage,
} from "#routes";
import { buildErrors } from "./errors.ts";
import { findMatchers } from "./find-matchers.ts";
import { type BuildSettings, readBuildSettings } from "./read-config.ts";
import { isStaticBuild } from "./static/is-static-build.ts";

/** An application described by its files. All paths are absolute, with forward slashes. */
export interface ApplicationFiles {
  root: string;
  pagesFolder: string;
  /** Path below which the application lives, such as `/_holdfast`; empty if it has the host to itself. */
  at: string;
  table: RouteTable;
  /** Files of actions alone, below `src`: `parts/cart.actions.server.ts`. */
  actionFiles: readonly string[];
  /** `src/request.server.ts`, if it exists. */
  request?: string;
  /** `src/schedules.server.ts`, if it exists. */
  schedules?: string;
  /** `src/lifecycle.server.ts`, if it exists. */
  lifecycle?: string;
  /** `src/env.server.ts`, if it exists: loaded before all other server code. */
  environment?: string;
  /** `src/matchers.ts`, if a route names a matcher. */
  matchers?: string;
  /** `nativePackages` of the configuration. */
  nativePackages: readonly string[];
  /** `languages` of the configuration. */
  languages?: ReadLanguages;
  /** Whether addresses of pages end with a slash. */
  trailingSlash?: boolean;
  /** `assets` of the configuration: where browsers get the files of the build. */
  assets?: string;
  /** `images` of the configuration. */
  images: ReadImageSettings;
}

export async function readApplication(folder: string, at = ""): Promise<ApplicationFiles> {
  const root = slashed(resolve(folder));
  // Plain segments only, because the path is written into addresses unescaped.
  if (!/^(?:\/[\w-]+)*$/.test(at)) throw buildErrors.wrongMountPath(at);
  const pagesFolder = `${root}/src/pages`;
  const settings = await readBuildSettings(root);
  const table = readPageFiles(await listFiles(pagesFolder), at, extensionsIn(settings));
  const repeating = table.routes.find(({ id }) => at !== "" && pathBelow(at, id) !== undefined);
  if (repeating) throw buildErrors.repeatedPlace(at, repeating.id, repeating.page ?? repeating.server ?? "");
  const languages = readLanguagesOf(settings, table);
  const matchers = await findMatchers(root, table);
  const serverFile = (name: string): string | undefined =>
    ["ts", "js"].map((ending) => `${root}/src/${name}.server.${ending}`).find((file) => existsSync(file));
  const request = serverFile("request");
  const schedules = serverFile("schedules");
  const lifecycle = serverFile("lifecycle");
  const environment = serverFile("env");
  return {
    root,
    pagesFolder,
    at,
    table,
    actionFiles: readActionFiles(await listFiles(`${root}/src`)),
    nativePackages: nativePackagesIn(settings),
    images: imagesIn(settings),
    ...(request && { request }),
    ...(schedules && { schedules }),
    ...(lifecycle && { lifecycle }),
    ...(environment && { environment }),
    ...(matchers && { matchers }),
    ...(languages && { languages }),
    ...(endsWithSlash(settings) && { trailingSlash: true }),
    ...assetsIn(settings),
  };
}

/** Their names are part of addresses, and no two may have the same. */
function readActionFiles(files: readonly string[]): string[] {
  const found = files.filter((file) => fileActions(file) !== undefined);
  for (const [at, file] of found.entries()) {
    if (!plainActionFile.test(file)) throw buildErrors.misnamedActionFile(file);
    const other = found.find((one, index) => index < at && fileActions(one) === fileActions(file));
    if (other !== undefined) throw buildErrors.twoActionFiles(other, file);
  }
  return found;
}

/** `_action` separates the page from the action in an address. */
const plainActionFile = /^(?!(?:.+\/)?_action\/)[^?#%\\]+$/;

function extensionsIn({ pageExtensions: extensions }: BuildSettings): readonly string[] {
  if (extensions === undefined) return [];
  const problem = problemOfExtensions(extensions);
  if (problem !== undefined) throw buildErrors.wrongSetting("pageExtensions", problem);
  return extensions as readonly string[];
}

function assetsIn({ assets }: BuildSettings): { assets?: string } {
  if (assets === undefined) return {};
  const problem = problemOfAssets(assets);
  if (problem !== undefined) throw buildErrors.wrongSetting("assets", problem);
  return { assets: String(assets) };
}

function imagesIn({ images = {} }: BuildSettings): ReadImageSettings {
  const problem = problemOfImages(images);
  if (problem !== undefined) throw buildErrors.wrongSetting("images", problem);
  return readImageSettings(images as ImageSettings);
}

/** A plain file server has the page of a folder at the address with a slash. */
function endsWithSlash({ trailingSlash: setting = isStaticBuild() ? "always" : "never" }: BuildSettings): boolean {
  const problem = problemOfTrailingSlash(setting);
  if (problem !== undefined) throw buildErrors.wrongSetting("trailingSlash", problem);
  return setting === "always";
}

function nativePackagesIn({ nativePackages: names }: BuildSettings): readonly string[] {
  if (names === undefined) return [];
  if (Array.isArray(names) && names.every((name) => typeof name === "string")) return names;
  throw buildErrors.wrongSetting("nativePackages", "must be a list of package names");
}

/**
 * A page that begins like the addresses of a language could never be reached, and a path where no page is would leave a
 * page untranslated that was meant.
 */
function readLanguagesOf(settings: BuildSettings, { routes }: RouteTable): ReadLanguages | undefined {
  const { languages, problems } = readLanguages(settings.languages);
  if (problems.length > 0) throw buildErrors.wrongLanguages(problems);
  if (!languages) return undefined;
  for (const { id, page, server } of routes) {
    const { lang } = splitLanguage(languages.table, "", id);
    if (lang !== undefined) throw buildErrors.pageLikeLanguage(lang, id, page ?? server ?? "");
  }
  const named = new Set(languages.table.list.flatMap(({ only = [], except = [] }) => [...only, ...except]));
  const empty = [...named].filter(
    (path) => !routes.some((route) => route.kind === "page" && mayBeginWith(route, path)),
  );
  if (empty.length > 0)
    throw buildErrors.wrongLanguages(
      empty.map((path) => `only and except name ${path}, but no page is there or below`),
    );
  return languages;
}

/** Whether a route may answer this path, or one below it. A parameter has any value. */
function mayBeginWith(route: RouteEntry, path: string): boolean {
  return fixedPaths(route.segments).some((segments) => mayBegin(segments, path));
}

function mayBegin(segments: readonly PathSegment[], path: string): boolean {
  if (path === "/") return segments.length === 0;
  const texts = path.slice(1).split("/").map(decodeURIComponent);
  return texts.every((text, index) => {
    const segment = segments[index];
    if (!segment) return segments.at(-1)?.kind === "rest";
    return segment.kind !== "static" || segment.text === text;
  });
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
