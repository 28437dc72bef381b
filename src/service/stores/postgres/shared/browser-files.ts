import type { BrowserFileContent, BuildName, FileName, SharedBrowserFile } from "../../shared-store.ts";
import type { Pool, Queries } from "../connect/connections.ts";
import { locks } from "../locks.ts";

/** As many builds as a `dist` folder has files of: visitors rarely keep a tab open over more deploys. */
export const retainedBuilds = 3;

/**
 * One process stores a build, and the others that have it wait for that: the lock also keeps files that a new build
 * shares with an old one from being deleted with the old one.
 */
export function addBuild(
  pool: Pool,
  { application, build }: BuildName,
  files: () => AsyncIterable<BrowserFileContent>,
): Promise<"added" | "known"> {
  return pool.transaction(async (queries) => {
    await queries.run("SELECT pg_advisory_xact_lock($1, hashtext($2))", locks.browserFiles, application);
    const known = await queries.run(
      "UPDATE holdfast.browser_build SET used_at = clock_timestamp() WHERE application = $1 AND build = $2",
      application,
      build,
    );
    if (known > 0) return "known";
    await queries.run("INSERT INTO holdfast.browser_build VALUES ($1, $2, clock_timestamp())", application, build);
    for await (const file of files()) await addFile(queries, { application, build }, file);
    await deleteOldBuilds(queries, application);
    return "added";
  });
}

async function addFile(
  queries: Queries,
  { application, build }: BuildName,
  { path, type, hash, bytes, encodings, contents }: BrowserFileContent,
): Promise<void> {
  await queries.run(
    "INSERT INTO holdfast.browser_file VALUES ($1, $2, $3, $4, $5, $6, $7)",
    application,
    build,
    path,
    type,
    hash,
    bytes,
    encodings,
  );
  for (const [encoding, content] of contents)
    await queries.run(
      "INSERT INTO holdfast.browser_content VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
      application,
      hash,
      encoding,
      content,
    );
}

async function deleteOldBuilds(queries: Queries, application: string): Promise<void> {
  const deleted = await queries.run(
    `DELETE FROM holdfast.browser_build WHERE application = $1 AND build NOT IN (
       SELECT build FROM holdfast.browser_build WHERE application = $1 ORDER BY used_at DESC LIMIT $2)`,
    application,
    retainedBuilds,
  );
  if (deleted === 0) return;
  await queries.run(
    `DELETE FROM holdfast.browser_content c WHERE c.application = $1 AND NOT EXISTS (
       SELECT 1 FROM holdfast.browser_file f WHERE f.application = $1 AND f.hash = c.hash)`,
    application,
  );
}

export async function readBuilds(queries: Queries, application: string): Promise<readonly string[]> {
  const rows = await queries.all<{ build: string }>(
    "SELECT build FROM holdfast.browser_build WHERE application = $1 ORDER BY used_at DESC",
    application,
  );
  return rows.map(({ build }) => build);
}

export function readFiles(queries: Queries, { application, build }: BuildName): Promise<readonly SharedBrowserFile[]> {
  return queries.all<SharedBrowserFile>(
    `SELECT path, type, hash, bytes, encodings FROM holdfast.browser_file WHERE application = $1 AND build = $2`,
    application,
    build,
  );
}

export async function readContent(
  queries: Queries,
  { application, hash, encoding }: FileName,
): Promise<Uint8Array | undefined> {
  const row = await queries.one<{ content: Uint8Array }>(
    "SELECT content FROM holdfast.browser_content WHERE application = $1 AND hash = $2 AND encoding = $3",
    application,
    hash,
    encoding,
  );
  return row?.content;
}
