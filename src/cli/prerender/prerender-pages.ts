import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type BuildToPrerender, type PageToWrite, type TimedPage, writePrerenderTable } from "#build";
import { HoldfastError } from "#errors";
import type { PrerenderedResult } from "#host";
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
  isStatic: boolean;
}

/** Makes the pages of a build in another process, writes them and prints what was made. */
export async function prerenderPages(
  { root, folder, write }: BuildToPrerender,
  { terminal, nodeEnv = "production", isStatic }: PrerenderPagesOptions,
): Promise<{ settings: string }> {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const program = fileURLToPath(new URL(`./prerender-process.${extension}`, import.meta.url));
  const child = fork(program, [root, folder, applicationData(undefined, root), isStatic ? "static" : "served"], {
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
      write(isStatic ? fileOf(planned, page) : pageOf(planned, page)).then((written) => {
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

function pageOf(
  { route, lang, path, address, origin }: PrerenderedResult["planned"],
  { html, data, scripts, cache }: PrerenderedResult["made"],
): PageToWrite {
  const keptOrigin = lang !== undefined && origin !== "" ? origin : undefined;
  return { route, lang, path, address, origin: keptOrigin, html, data, scripts, cache };
}

/** A document without headers has its policy in an element. */
function fileOf(planned: PrerenderedResult["planned"], made: PrerenderedResult["made"]): PageToWrite {
  const page = pageOf(planned, made);
  const policy = made.policy.replace(/; frame-ancestors [^;]*/, "").replaceAll('"', "&quot;");
  const html = made.html.replace("<head>", `<head><meta http-equiv="Content-Security-Policy" content="${policy}">`);
  if (!planned.isNotFound) return { ...page, html };
  const address = `${planned.address.slice(0, planned.address.lastIndexOf("/"))}/404.html`;
  return { ...page, html: withoutScripts(html), address, isNotFound: true };
}

/** The page is shown at every address without a page, and was rendered for none of them. */
function withoutScripts(html: string): string {
  return html.replace(/<script\b[^>]*>[\s\S]*?<\/script>|<link rel="modulepreload"[^>]*>/g, "");
}

function printProgress(terminal: Terminal): (made: number, of: number) => void {
  let saidAt = performance.now();
  return (made, of) => {
    if (made === 0 || made === of || performance.now() - saidAt < progressEveryMs) return;
    saidAt = performance.now();
    terminal.print(`  ${made} of ${of} pages are made.`);
  };
}
