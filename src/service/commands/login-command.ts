import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { isObject } from "#protocol";
import { apiPath, consolePath } from "../console-path.ts";
import { serviceErrors } from "../errors.ts";
import { readArguments, type ServiceCommand, wrongUse } from "./command.ts";
import { Logins } from "./remote/logins.ts";
import { fetchFrom, serviceOrigin } from "./remote/open-remote.ts";

const loginUsage = "login --service URL [--no-browser]";

/** Long enough for a person who signs in first, with a second factor. */
const waitMs = 300_000;

/** Gets a token for this machine after the person has confirmed it in a browser. */
export const loginCommand: ServiceCommand = {
  usage: loginUsage,
  options: {
    "--service URL": "the service, for example https://errors.example.org",
    "--no-browser": "prints the address and opens no browser",
  },
  description: "signs in to a service, for commands with --service",
  async run(args, { print }) {
    const { options } = readArguments(args, { service: "text", "no-browser": "switch" }, loginUsage);
    if (typeof options.service !== "string") throw wrongUse("Name the service with --service URL.", loginUsage);
    const origin = serviceOrigin(options.service);
    const secrets = { state: randomText(), verifier: randomText() };
    const waiting = await listenForCode(secrets.state);
    try {
      const address = addressOf(origin, waiting.port, secrets);
      print(`Open ${address}`);
      print(`Permit it there if the page shows ${challengeOf(secrets.verifier).slice(0, 4)}.`);
      if (options["no-browser"] !== true) openBrowser(address);
      const token = await exchange(origin, await waiting.code, secrets.verifier);
      const logins = new Logins();
      logins.keep(origin, token);
      print(`You are signed in to ${origin}. The token is in ${logins.file}.`);
      return 0;
    } finally {
      waiting.close();
    }
  },
};

const logoutUsage = "logout --service URL";

/** Forgets the token of this machine, and has the service revoke it. */
export const logoutCommand: ServiceCommand = {
  usage: logoutUsage,
  options: { "--service URL": "the service, for example https://errors.example.org" },
  description: "signs out of a service: its token is revoked and forgotten",
  async run(args, { print }) {
    const { options } = readArguments(args, { service: "text" }, logoutUsage);
    if (typeof options.service !== "string") throw wrongUse("Name the service with --service URL.", logoutUsage);
    const origin = serviceOrigin(options.service);
    const logins = new Logins();
    const token = logins.tokenFor(origin);
    if (token === undefined) {
      print(`This machine is not signed in to ${origin}.`);
      return 0;
    }
    // Forgotten first: a service that is away must not keep a person signed in here.
    logins.forget(origin);
    await post(origin, "/logins/end", { token });
    print(`You are signed out of ${origin}.`);
    return 0;
  },
};

function randomText(): string {
  return randomBytes(32).toString("base64url");
}

function challengeOf(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url");
}

function addressOf(origin: string, port: number, { state, verifier }: { state: string; verifier: string }): string {
  const asked = { port: String(port), machine: hostname(), challenge: challengeOf(verifier), state };
  return `${origin}${consolePath}/command-line?${new URLSearchParams(asked)}`;
}

interface WaitingForCode {
  readonly port: number;
  readonly code: Promise<string>;
  close(): void;
}

/** The console leads the browser to this port of this machine. Requests without the state are of other programs. */
async function listenForCode(state: string): Promise<WaitingForCode> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  // The waiting is over only when `code` is awaited.
  promise.catch(() => undefined);
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    const code = searchParams.get("code");
    const isOurs = code !== null && searchParams.get("state") === state;
    const headers = { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store", Connection: "close" };
    response.writeHead(isOurs ? 200 : 404, headers);
    response.end(isOurs ? "You are signed in. You can close this page.\n" : "There is nothing here.\n");
    if (isOurs) resolve(code);
  });
  const port = await listening(server);
  const timer = setTimeout(() => reject(serviceErrors.loginTooLate(waitMs / 60_000)), waitMs);
  return {
    port,
    code: promise,
    close: () => {
      clearTimeout(timer);
      server.close();
      server.closeIdleConnections();
    },
  };
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

async function exchange(origin: string, code: string, verifier: string): Promise<string> {
  const response = await post(origin, "/logins", { code, verifier });
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok || !isObject(body) || typeof body.token !== "string")
    throw serviceErrors.loginRefused(origin, response.status);
  return body.token;
}

function post(origin: string, path: string, body: object): Promise<Response> {
  return fetchFrom(origin)(`${origin}${apiPath}${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    body: JSON.stringify(body),
  });
}

/** The printed address works where there is no browser to open. */
function openBrowser(address: string): void {
  const [program, ...before] = browserProgram();
  const opened = spawn(program, [...before, address], { stdio: "ignore", detached: true });
  opened.on("error", () => undefined);
  opened.unref();
}

function browserProgram(): readonly [string, ...string[]] {
  if (process.platform === "darwin") return ["open"];
  // `start` is no program, and `&` in an address would end its command.
  if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return ["xdg-open"];
}
