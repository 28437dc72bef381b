import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type BuildToPrerender, type TimedPage, writePrerenderTable } from "#build";
import { HoldfastError } from "#errors";
import { applicationData } from "../data-folder.ts";
import { cliErrors } from "../errors.ts";
import type { Terminal } from "../terminal.ts";
import type { PageWritten, PrerenderMessage } from "./messages.ts";

/** A build of hundreds of pages shows that it continues. */
const progressEveryMs = 2_000;

export interface PrerenderPagesOptions {
  terminal: Terminal;
  /** As it was before the build set it: a server has the same. */
  nodeEnv: string | undefined;
}

/** Makes the pages of a build in another process, writes them and prints what was made. */
export async function prerenderPages(
  { root, folder, write }: BuildToPrerender,
  { terminal, nodeEnv = "production" }: PrerenderPagesOptions,
): Promise<{ settings: string }> {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const program = fileURLToPath(new URL(`./prerender-process.${extension}`, import.meta.url));
  const child = fork(program, [root, folder, applicationData(undefined, root)], {
    env: { ...process.env, NODE_ENV: nodeEnv },
    serialization: "advanced",
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const made: TimedPage[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<{ settings: string }>();
  const progress = printProgress(terminal);
  child.on("message", (message: PrerenderMessage) => {
    if (message.kind === "progress") progress(message.made, message.of);
    else if (message.kind === "done") resolve({ settings: message.settings });
    else if (message.kind === "broken") reject(cliErrors.prerenderEnded(message.why));
    else if (message.kind === "failed") reject(new HoldfastError(message.code, message.whatHappened, message.whatToDo));
    else {
      const { planned, made: page, ms } = message.result;
      const { route, lang, path, origin } = planned;
      const { html, data, scripts, cache } = page;
      const keptOrigin = lang !== undefined && origin !== "" ? origin : undefined;
      write({ route, lang, path, origin: keptOrigin, html, data, scripts, cache }).then((written) => {
        made.push({ page: written, ms });
        child.send({ id: message.id } satisfies PageWritten);
      }, reject);
    }
  });
  child.on("error", reject);
  child.on("exit", (code) => reject(cliErrors.prerenderEnded(`exit code ${code}`)));
  try {
    const done = await promise;
    if (made.length > 0) terminal.print(writePrerenderTable(made));
    return done;
  } finally {
    child.removeAllListeners("exit");
    child.kill("SIGKILL");
  }
}

function printProgress(terminal: Terminal): (made: number, of: number) => void {
  let saidAt = performance.now();
  return (made, of) => {
    if (made === 0 || made === of || performance.now() - saidAt < progressEveryMs) return;
    saidAt = performance.now();
    terminal.print(`  ${made} of ${of} pages are made.`);
  };
}
