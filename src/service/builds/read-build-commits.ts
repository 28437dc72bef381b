import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "#protocol";
import type { Commit } from "../stores/records.ts";
import { fixedIssuesIn } from "./fixed-issues.ts";

/** Reads the commits that the build has recorded, newest first. Empty if it recorded none. */
export function readBuildCommits(buildFolder: string): readonly Commit[] {
  const content = contentOf(join(buildFolder, "commits.json"));
  return Array.isArray(content) ? content.flatMap(readCommit) : [];
}

function readCommit(value: unknown): Commit[] {
  if (!isObject(value)) return [];
  const { hash, author, at, subject, body, files } = value;
  const isWhole =
    typeof hash === "string" && typeof author === "string" && typeof at === "number" && typeof subject === "string";
  if (!isWhole) return [];
  const named = Array.isArray(files) ? files.filter((file) => typeof file === "string") : [];
  const fixes = fixedIssuesIn(`${subject}\n${typeof body === "string" ? body : ""}`);
  return [{ hash, author, at, subject, ...(named.length > 0 && { files: named }), ...(fixes.length > 0 && { fixes }) }];
}

/** Returns undefined for a file that is missing or not written by the build. */
function contentOf(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
