import { isObject } from "#protocol";
import { fixedIssuesIn } from "../builds/fixed-issues.ts";
import type { Commit } from "../stores/records.ts";
import type { UploadLimits } from "./limits.ts";

const longestText = 200;
const longestPath = 500;

/**
 * Reads commits, newest first: those of a Holdfast build, or as `sentry-cli` sends them. Mail addresses of authors are
 * left out. Returns undefined if it is no list.
 */
export function readUploadedCommits(value: unknown, limits: UploadLimits): Commit[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.slice(0, limits.commits).flatMap((each) => readUploadedCommit(each, limits) ?? []);
}

function readUploadedCommit(value: unknown, { filesPerCommit }: UploadLimits): Commit | undefined {
  if (!isObject(value)) return undefined;
  const hash = textOf(value.hash) ?? textOf(value.id);
  if (hash === undefined || hash === "") return undefined;
  const message = textOf(value.subject) ?? textOf(value.message) ?? "";
  const at = typeof value.at === "number" ? value.at : Date.parse(textOf(value.timestamp) ?? "");
  const files = filesOf(value).slice(0, filesPerCommit);
  const fixes = fixedIssuesIn(`${message}\n${textOf(value.body) ?? ""}`);
  return {
    hash: hash.slice(0, longestText),
    author: (textOf(value.author) ?? textOf(value.author_name) ?? "").slice(0, longestText),
    at: Number.isFinite(at) ? at : 0,
    subject: (message.split("\n", 1)[0] ?? "").slice(0, longestText),
    ...(files.length > 0 && { files }),
    ...(fixes.length > 0 && { fixes }),
  };
}

function filesOf({ files, patch_set: patches }: Readonly<Record<string, unknown>>): string[] {
  const named = Array.isArray(files) ? files : Array.isArray(patches) ? patches.map(pathOf) : [];
  return named.flatMap((path) => (typeof path === "string" && path !== "" ? [path.slice(0, longestPath)] : []));
}

function pathOf(patch: unknown): unknown {
  return isObject(patch) ? patch.path : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
