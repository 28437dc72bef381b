import { messageOf } from "#errors";
import { isFrameworkError, type PrerenderedResult, prerenderBuild } from "#host";
import type { PageWritten, PrerenderMessage } from "./messages.ts";

/**
 * Makes the pages of a build. In a process of its own: the modules of the application may open connections and timers,
 * which would keep `holdfast build` from ending.
 */
const [root = ".", folder = "", dataFolder = "", mode = ""] = process.argv.slice(2);
const isStatic = mode === "static";
// Stacks name the application's own files.
process.setSourceMapsEnabled(true);
Error.stackTraceLimit = 50;
const waiting = new Map<number, () => void>();
process.on("message", ({ id }: PageWritten) => {
  waiting.get(id)?.();
  waiting.delete(id);
});
process.on("disconnect", () => process.exit(1));

function tell(message: PrerenderMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}

function failureOf(error: unknown): PrerenderMessage {
  if (!isFrameworkError(error))
    return { kind: "broken", why: error instanceof Error ? String(error.stack) : messageOf(error) };
  const { code, whatToDo, message } = error;
  return { kind: "failed", code, whatToDo, whatHappened: message.replace(` ${whatToDo} [${code}]`, "") };
}

let pages = 0;

async function write(result: PrerenderedResult): Promise<void> {
  const id = pages;
  pages += 1;
  const written = new Promise<void>((resolve) => waiting.set(id, resolve));
  await tell({ kind: "page", id, result });
  await written;
}

try {
  const onProgress = (made: number, of: number): void => void tell({ kind: "progress", made, of });
  const { settings } = await prerenderBuild({ root, folder, dataFolder, isStatic, write, onProgress });
  await tell({ kind: "done", settings });
} catch (error) {
  await tell(failureOf(error));
}
process.exit(0);
