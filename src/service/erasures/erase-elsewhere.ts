import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { digestOf } from "#protocol";
import type { SharedState } from "../shared/shared-state.ts";
import type { ErasureMatch } from "../stores/erase/erasure.ts";
import { ErasureMatcher } from "../stores/erase/matcher.ts";
import { visitorHash } from "../stores/values/visitor-hash.ts";

export interface ElsewhereDeps {
  readonly dataFolder: string;
  readonly shared: Pick<SharedState, "alertTables" | "balanceTables">;
}

/** Erases what is kept beside the store: books of error pages, messages of alerts, and records that were not filed. */
export async function eraseElsewhere(deps: ElsewhereDeps, project: number, match: ErasureMatch): Promise<void> {
  await eraseBooks(deps, project, match);
  await eraseNotices(deps, project, match);
  eraseUnfiled(deps.dataFolder, project, new ErasureMatcher(match));
}

async function eraseBooks({ shared }: ElsewhereDeps, project: number, match: ErasureMatch): Promise<void> {
  const books = shared.balanceTables();
  if (books === undefined) return;
  if (match.all) {
    for (const table of ["balance_page", "balance_source", "balance_tally", "balance_difference"])
      await books.run(`DELETE FROM holdfast.${table} WHERE project = $1`, project);
    return;
  }
  for (const visitor of match.visitors)
    await books.run("DELETE FROM holdfast.balance_page WHERE project = $1 AND visitor = $2", project, visitor);
  for (const id of match.eventIds)
    await books.run("DELETE FROM holdfast.balance_page WHERE project = $1 AND digest = $2", project, digestOf(id));
}

/** A message names titles of issues. It was sent, or is sent again without what was erased by a later one. */
async function eraseNotices({ shared }: ElsewhereDeps, project: number, match: ErasureMatch): Promise<void> {
  const matcher = new ErasureMatcher(match);
  const { shared: rows } = shared.alertTables();
  const notices = await rows.all<{ id: string; message: string }>(
    "SELECT id, message FROM holdfast.alert_notice WHERE project = $1",
    project,
  );
  const ids = new Set(match.eventIds);
  for (const { id, message } of notices) {
    const isMeant = match.all || matcher.text(message) || mentionsEvent(message, ids);
    if (isMeant) await rows.run("DELETE FROM holdfast.alert_notice WHERE id = $1", id);
  }
}

function mentionsEvent(message: string, ids: ReadonlySet<string>): boolean {
  for (const [id] of message.matchAll(/[0-9a-f]{32}/g)) if (ids.has(id)) return true;
  return false;
}

/** Envelopes that could not be filed were kept for a person to read. */
function eraseUnfiled(dataFolder: string, project: number, matcher: ErasureMatcher): void {
  const folder = join(dataFolder, "unfiled");
  for (const name of namesIn(folder)) {
    if (!name.startsWith(`${project}-`)) continue;
    const text = readFileSync(join(folder, name), "utf8");
    if (matcher.match.all || matcher.text(text) || text.split("\n").some((line) => isOf(matcher, line)))
      rmSync(join(folder, name), { force: true });
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Whether a line is about an erased event, or names a visitor. */
function isOf(matcher: ErasureMatcher, line: string): boolean {
  for (const [, , value = ""] of line.matchAll(/"(id|email|username|ip_address|event_id)"\s*:\s*"([^"\\]+)"/g))
    if (matcher.isVisitor(visitorHash(value)) || matcher.match.eventIds.includes(value.replaceAll("-", "")))
      return true;
  return false;
}
