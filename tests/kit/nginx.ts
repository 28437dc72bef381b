import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { findNginx } from "../../scripts/find-nginx.js";
import { freePort } from "./free-ports.ts";

/** A real nginx of its own, in a temporary folder. */
export interface TestNginx extends AsyncDisposable {
  readonly url: string;
  /** What it has stored. */
  readonly cacheFolder: string;
}

/** Long enough for a loaded machine; the test continues as soon as nginx listens. */
const readyWithinMs = 30_000;

/**
 * Starts nginx with a configuration as a guide has it. The port, the address of the application and the folder of the
 * cache are those of the test; everything else stays.
 */
export async function startNginx(configuration: string, application: string): Promise<TestNginx> {
  const found = findNginx();
  if (found.kind === "missing") throw new Error(found.why);
  const folder = mkdtempSync(join(tmpdir(), "holdfast-nginx-"));
  const cacheFolder = join(folder, "cache");
  mkdirSync(cacheFolder);
  const port = await freePort();
  const replaced = [
    [/listen 80;/, `listen 127.0.0.1:${port};`],
    [/server 127\.0\.0\.1:3000/, `server ${new URL(application).host}`],
    [/(proxy_cache_path) \S+/, `$1 ${cacheFolder}`],
  ] as const;
  const own = replaced.reduce((text, [pattern, value]) => {
    if (!pattern.test(text)) throw new Error(`The configuration has no line for ${pattern}.`);
    return text.replace(pattern, value);
  }, configuration);
  const file = join(folder, "nginx.conf");
  // Without a user of its own, so that it may write to the folder of the user who runs the tests.
  const asRoot = process.getuid?.() === 0 ? "user root;\n" : "";
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  writeFileSync(
    file,
    `${asRoot}daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
access_log off;
${places.join("\n")}
${own}}
`,
  );
  const nginx = spawn(found.path, ["-p", folder, "-c", file, "-e", "stderr"], { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  nginx.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  const kill = (): boolean => nginx.kill("SIGKILL");
  process.once("exit", kill);
  const url = `http://127.0.0.1:${port}`;
  const deadline = performance.now() + readyWithinMs;
  while (!(await fetch(`${url}/healthz`).then(Boolean, () => false))) {
    if (nginx.exitCode !== null || performance.now() > deadline) throw new Error(`nginx did not start: ${log}`);
    await wait(20);
  }
  return {
    url,
    cacheFolder,
    async [Symbol.asyncDispose]() {
      process.off("exit", kill);
      const ended = once(nginx, "exit");
      // Its worker ends with it; after a SIGKILL it would go on.
      nginx.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
