import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../scripts/root.js";
import { application, type RunningApp, startApp } from "../kit/index.ts";

/** Two builds of the application that visitors walk through, side by side. */
export interface TwoBuilds extends AsyncDisposable {
  urls: readonly [string, string];
  /** What the actions of a walk have written, one text for each time that one has run. */
  itemsOf(walk: string): string[];
}

export async function startTwoBuilds(): Promise<TwoBuilds> {
  const files = readFixture();
  const next = application({
    ...files,
    "src/pages/plain.tsx": `${files["src/pages/plain.tsx"]}\nexport const next = 1;\n`,
  });
  const written = mkdtempSync(join(tmpdir(), "holdfast-walk-"));
  const env = { WALK_ITEMS: written };
  const first = await startApp({ app: "tests/fixtures/walk", env });
  // As after a deploy on one machine: the next build remembers the forms that were sent to the one before.
  const second = await startApp({ app: next, env: { ...env, HOLDFAST_DATA: first.dataFolder } });
  const apps: readonly RunningApp[] = [second, first];
  return {
    urls: [first.url, second.url],
    itemsOf: (walk) => readItems(join(written, walk)),
    async [Symbol.asyncDispose]() {
      for (const app of apps) await app.stop();
      rmSync(written, { recursive: true, force: true });
    },
  };
}

function readItems(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n").slice(0, -1);
  } catch {
    return []; // nothing was written yet
  }
}

/** The application's files, so that a second build can be made of almost the same. */
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
