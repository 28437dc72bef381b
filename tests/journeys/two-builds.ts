import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../scripts/root.js";
import { application, buildApp, type RunningApp, startApp, startBuiltApp, writeFiles } from "../kit/index.ts";

/** Two builds of the application for walks, side by side. */
export interface TwoBuilds extends AsyncDisposable {
  urls: readonly [string, string];
  /** Texts that the actions of a walk have written, one for each run. */
  itemsOf(walk: string): string[];
}

/** Each in a separate folder, without the other's files, as on a platform that deletes the previous build. */
export async function startTwoBuilds(): Promise<TwoBuilds> {
  const written = mkdtempSync(join(tmpdir(), "holdfast-walk-"));
  const env = { WALK_ITEMS: written };
  const first = await startApp({ app: "tests/fixtures/walk", env });
  // As after a deployment on one machine: the next build remembers the forms sent to the previous one.
  const second = await startApp({ app: application(nextOf(readFixture())), env: dataOf(first, env) });
  return twoBuilds([first, second], written, [second, first]);
}

/**
 * Built in one folder, one after the other, as a deploy with `holdfast build` does it: each serves the files of the
 * other, too. The first is built once more after the second: a deploy back to it is a deploy like any other.
 */
export async function startTwoDeploys(): Promise<TwoBuilds> {
  const written = mkdtempSync(join(tmpdir(), "holdfast-walk-"));
  const env = { WALK_ITEMS: written };
  const files = readFixture();
  const folder = application({ ...files, "deploys.txt": "This folder is built in place." });
  const deploy = async (sources: Record<string, string>): Promise<void> => {
    writeFiles(join(root, folder), sources);
    await buildApp(folder);
  };
  await deploy(files);
  await deploy(nextOf(files));
  const second = await startBuiltApp({ app: folder, env });
  await deploy(files);
  const first = await startBuiltApp({ app: folder, env: dataOf(second, env) });
  return twoBuilds([first, second], written, [first, second]);
}

function twoBuilds(
  [first, second]: readonly [RunningApp, RunningApp],
  written: string,
  /** The last one's data is the other's, too. */
  inOrderOfEnd: readonly RunningApp[],
): TwoBuilds {
  return {
    urls: [first.url, second.url],
    itemsOf: (walk) => readItems(join(written, walk)),
    async [Symbol.asyncDispose]() {
      for (const app of inOrderOfEnd) await app.stop();
      rmSync(written, { recursive: true, force: true });
    },
  };
}

function dataOf(app: RunningApp, env: Record<string, string>): Record<string, string> {
  return { ...env, HOLDFAST_DATA: app.dataFolder };
}

/** Almost the same application. */
function nextOf(files: Record<string, string>): Record<string, string> {
  return { ...files, "src/pages/plain.tsx": `${files["src/pages/plain.tsx"]}\nexport const next = 1;\n` };
}

function readItems(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n").slice(0, -1);
  } catch {
    return []; // nothing was written yet
  }
}

/** Files of the application, so that a second build can be made from almost the same. */
function readFixture(): Record<string, string> {
  const folder = join(root, "tests/fixtures/walk");
  const files = readdirSync(join(folder, "src"), { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  return Object.fromEntries(
    files.map((file) => {
      const path = join(file.parentPath, file.name);
      return [path.slice(folder.length + 1), readFileSync(path, "utf8")];
    }),
  );
}
