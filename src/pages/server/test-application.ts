import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import http, { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { Refusals } from "#bounds";
import { QuickResponse } from "#http";
import { fileActions, type ParamMatchers, readPageFiles } from "#routes";
import { type ErrorPlace, type ServerSignals, silentServerSignals } from "#signals";
import { type ServerLimits, serverLimits } from "../limits.ts";
import type { ApplicationLanguages, ApplicationParts, Lazy, ServerModule } from "../parts.ts";
import { RunningActions } from "./action/running-actions.ts";
import { SubmissionMemory } from "./action/submission-memory.ts";
import { Posts } from "./body/posts.ts";
import { createPageHandler, type HandlerOptions, type PageHandler } from "./index.ts";
import { OpenStreams } from "./live/open-streams.ts";

/** The files of a small application by name: each its exports, or a function that loads them. */
export type TestFiles = Readonly<Record<string, object>>;

export interface TestOptions extends Partial<Omit<HandlerOptions, "limits" | "originOf" | "clientOf">> {
  limits?: Partial<ServerLimits>;
  origin?: string;
  /** The path below which the application lives. */
  at?: string;
  /** Whether addresses of pages end with a slash. */
  trailingSlash?: boolean;
  /** The languages of the application, as the build writes them. */
  languages?: ApplicationLanguages;
  refusals?: Refusals;
  /** Puts the handler on a server; by default on one that only handles requests. */
  serve?: (handler: PageHandler) => Server;
}

export interface Answered {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The body's pieces as they arrived. */
  pieces: readonly Buffer[];
}

export interface TestRequest {
  method?: string;
  headers?: Readonly<Record<string, string | string[]>>;
  body?: string | Buffer;
  /** Called with each piece of the response as it arrives. */
  onPiece?: (bytes: Buffer) => void;
}

export interface Recorded {
  error: unknown;
  place: ErrorPlace;
  digest: string;
}

/** A page handler on its own port. Everything is real except the build and the storage of error reports. */
export interface TestApplication {
  port: number;
  origin: string;
  ask(target: string, options?: TestRequest): Promise<Answered>;
  memory: SubmissionMemory;
  /** The number of open connections. */
  connections(): Promise<number>;
  /** Operations on kept submissions, if the application keeps any. */
  kept: PageHandler["kept"];
  /** What two builds must have in common. */
  contractOf: PageHandler["contractOf"];
  /** The running actions. */
  actions: RunningActions;
  /** The work after responses. */
  after: RunningActions;
  /** Server-sent events and sockets. */
  streams: OpenStreams;
  /** Resources of concurrent posts. */
  posts: Posts;
  /** The recorded errors, oldest first. */
  recorded: Recorded[];
  [Symbol.asyncDispose](): Promise<void>;
}

export async function testApplication(files: TestFiles, options: TestOptions = {}): Promise<TestApplication> {
  const recorded: Recorded[] = [];
  const uploadFolder = mkdtempSync(path.join(tmpdir(), "holdfast-test-"));
  const {
    limits,
    origin,
    at,
    languages,
    trailingSlash = false,
    refusals,
    posts: ownPosts,
    streams: ownStreams,
    serve = plainly,
    memory = forgetful,
    ...rest
  } = options;
  const actions = new RunningActions();
  const after = new RunningActions();
  const clientOf = (incoming: IncomingMessage): string => incoming.socket.remoteAddress ?? "";
  const streams = ownStreams ?? new OpenStreams({ ...serverLimits, ...limits }, clientOf, refusals);
  const posts = ownPosts ?? new Posts({ ...serverLimits, ...limits }, clientOf, refusals);
  const handler = createPageHandler(
    { ...partsOf(files, at), ...(languages && { languages }), trailingSlash },
    {
      signals: recordingSignals(recorded),
      limits: { ...serverLimits, ...limits },
      lang: "en",
      originOf: () => origin ?? originOf(server),
      clientOf,
      posts,
      trustedOrigins: [],
      redirectOrigins: [],
      policy: { csp: {}, hsts: true },
      headStart: "",
      uploadFolder,
      sealKey: new Uint8Array(32),
      actions,
      after,
      streams,
      memory,
      development: false,
      ...rest,
    },
  );
  // Room for the thousand connections that a test opens at once: of those beyond it, a busy machine drops some.
  const server = serve(handler).listen({ port: 0, host: "127.0.0.1", backlog: 1_024 });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: origin ?? originOf(server),
    recorded,
    memory,
    kept: handler.kept,
    contractOf: handler.contractOf,
    posts,
    connections: promisify(server.getConnections.bind(server)),
    actions,
    after,
    streams,
    ask: (target, options = {}) => ask(port, target, options),
    [Symbol.asyncDispose]: async () => {
      streams.abandon();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      rmSync(uploadFolder, { recursive: true, force: true });
    },
  };
}

function plainly(handler: PageHandler): Server {
  return createServer(
    { ServerResponse: QuickResponse },
    (incoming, response) => handler.answerKnown?.({ incoming, response }) || void handler.handle(incoming, response),
  );
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const forgetful = new SubmissionMemory({ store: undefined, reach: "local", sealKey: new Uint8Array(32) });

function recordingSignals(recorded: Recorded[]): ServerSignals {
  return {
    ...silentServerSignals,
    errorCaught: (error, place) => {
      const number = String(recorded.length + 1).padStart(4, "0");
      const digest = `TEST-TEST-${number}`;
      recorded.push({ error, place, digest });
      return { kind: "recorded", eventId: number.padStart(32, "0"), digest, durable: Promise.resolve() };
    },
  };
}

/** The parts as the build's server entry would pass them. */
export function partsOf(files: TestFiles, at?: string): ApplicationParts {
  const { "request.server.ts": request, "matchers.ts": matchers, ...pageFiles } = files;
  const table = readPageFiles(Object.keys(pageFiles), at);
  const lazy = <Module>(name: string | undefined): Record<string, Lazy<Module>> => {
    const file = name === undefined ? undefined : pageFiles[name];
    if (file === undefined) return {};
    return { is: async () => (typeof file === "function" ? file() : file) as Module };
  };
  const named = (entries: Record<string, string | undefined>): object =>
    Object.fromEntries(
      Object.entries(entries).flatMap(([key, name]) => {
        const { is } = lazy(name);
        return is ? [[key, is]] : [];
      }),
    );
  const ownFiles = Object.keys(pageFiles).flatMap((name) => {
    const start = fileActions(name);
    const { is } = lazy<ServerModule>(name);
    return start !== undefined && is ? [[start, is] as const] : [];
  });
  return {
    build: "test-build",
    actionFiles: Object.fromEntries(ownFiles),
    table,
    routes: table.routes.map(({ page, server }) => named({ page, server })),
    folders: table.folders.map(({ layout, error, notFound, loading, server }) =>
      named({ layout, error, notFound, loading, server }),
    ),
    ...(matchers && { matchers: matchers as ParamMatchers }),
    ...(request ? { request: async () => request as never } : {}),
    assets: {
      entry: "/_assets/entry.js",
      entryImports: [],
      styles: [],
      routes: table.routes.map(() => ({ modules: [], styles: [] })),
      folders: table.folders.map(() => ({ modules: [], styles: [] })),
    },
  };
}

/** Sends plain HTTP: no redirects, no decoding, no canonical address. */
export async function ask(
  port: number,
  target: string,
  { method = "GET", headers = {}, body, onPiece }: TestRequest,
): Promise<Answered> {
  const request = http.request({
    host: "127.0.0.1",
    port,
    path: target,
    method,
    headers: { ...headers },
    agent: false,
  });
  request.end(body);
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    onPiece?.(chunk);
  }
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: Buffer.concat(chunks).toString(),
    pieces: chunks,
  };
}

/** The lines of a page-data response, without heartbeats. */
export function dataLinesOf(text: string): unknown[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line));
}
