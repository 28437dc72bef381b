import { stat } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import type { Plugin } from "vite";

/** Editors fill a file within a few milliseconds of emptying it. */
const recheckMs = 10;
/** A file that stays empty is meant to be empty. */
const emptyAtMostMs = 1_000;

/**
 * Delays a change until the file is completely written. Editors save by emptying a file and filling it again; in
 * between, a page has no component, and a full reload would lose the developer's input in it.
 */
export function wholeFiles(): Plugin {
  return {
    name: "holdfast:whole-files",
    apply: "serve",
    hotUpdate: {
      order: "pre",
      async handler({ type, file, modules }) {
        if (type === "delete" || modules.length === 0 || !(await untilWritten(file))) return;
        // A request in the meantime may have cached the partial content.
        for (const module of modules) this.environment.moduleGraph.invalidateModule(module);
      },
    },
  };
}

/** Returns whether it had to wait. */
export async function untilWritten(file: string): Promise<boolean> {
  const startedMs = performance.now();
  let seen = await statFile(file);
  for (let checks = 0; ; checks++) {
    await wait(recheckMs);
    const now = await statFile(file);
    const isWritten = now.size > 0 && now.size === seen.size && now.changedMs === seen.changedMs;
    if (isWritten || performance.now() - startedMs > emptyAtMostMs) return checks > 0;
    seen = now;
  }
}

/** A deleted file counts as written. */
async function statFile(file: string): Promise<{ size: number; changedMs: number }> {
  try {
    const { size, mtimeMs } = await stat(file);
    return { size, changedMs: mtimeMs };
  } catch {
    return { size: 1, changedMs: 0 };
  }
}
