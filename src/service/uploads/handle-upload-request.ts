import { Turns } from "#bounds";
import { drainBody, type Exchange, noRoom, readBytes, sendJson } from "#http";
import { answerBuild, answerMap, holdfastMark } from "./answer-build.ts";
import { answerDeploys } from "./answer-deploys.ts";
import { answerCommits, answerRelease, answerReleases } from "./answer-release.ts";
import { answerAssemble, assembleState } from "./bundles/answer-assemble.ts";
import { answerChunks, chunkOptions } from "./bundles/answer-chunks.ts";
import type { UploadLimits } from "./limits.ts";
import { permittedProject } from "./permitted-project.ts";
import { readUploadAddress, type UploadAddress } from "./upload-address.ts";
import { type PermittedUpload, refusedUpload, type UploadAnswer, type UploadDeps } from "./upload-deps.ts";

export type HandleUpload = (exchange: Exchange, target: string) => boolean;

/**
 * Answers requests below `/api/0/`: uploads of build tools and of Holdfast applications. `target` is the path and query
 * below the service's base path. Returns `false`, and does nothing, for another address.
 */
export function createUploadHandler(deps: UploadDeps): HandleUpload {
  const turns = new Turns({ atOnce: deps.limits.atOnce, waiting: deps.limits.waiting });
  return (exchange, target) => {
    const url = new URL(target, "http://service");
    const address = readUploadAddress(url.pathname);
    if (address === undefined) return false;
    void answerUpload(deps, turns, { exchange, address, query: url.searchParams });
    return true;
  };
}

interface UploadRequest {
  readonly exchange: Exchange;
  readonly address: UploadAddress;
  readonly query: URLSearchParams;
}

async function answerUpload(deps: UploadDeps, turns: Turns, request: UploadRequest): Promise<void> {
  const { incoming, response } = request.exchange;
  let answer: UploadAnswer;
  try {
    const done = await turns.run(() => answerTo(deps, request));
    answer = done.kind === "done" ? done.value : busyAnswer(request.address);
  } catch (error) {
    answer = failureAnswer(error instanceof Error ? error.message : String(error));
  }
  await drainBody(incoming);
  if (response.destroyed) return;
  sendJson(response, answer.status, answer.body, answer.status === 503 ? { "Retry-After": 5 } : {});
}

/** A build that is too large stays so. Everything else may pass. The thread that files answers with text alone. */
function failureAnswer(why: string): UploadAnswer {
  return why.includes("service-build-too-large") ? refusedUpload(413, why) : refusedUpload(503, why);
}

/** A client that assembles asks again by itself. */
function busyAnswer(address: UploadAddress): UploadAnswer {
  return address.kind === "assemble" ? assembleState("assembling") : refusedUpload(503, `${noRoom}.`);
}

/** The cheapest checks are first, and nothing is read from an unknown client. */
async function answerTo(deps: UploadDeps, { exchange, address, query }: UploadRequest): Promise<UploadAnswer> {
  const { incoming } = exchange;
  const method = incoming.method ?? "";
  if (address.kind === "unknown") return refusedUpload(404, nothingHere);
  const allowed = methodsOf(address);
  if (!allowed.includes(method)) return refusedUpload(405, `This address takes ${allowed.join(", ")} only.`);
  // Without a token, so that none is sent to a service of another kind.
  if (address.kind === "build" && method === "GET") return { status: 200, body: holdfastMark };
  const permit = await permittedProject(deps, {
    authorization: incoming.headers.authorization,
    address: incoming.socket.remoteAddress ?? "",
    named: "project" in address ? address.project : undefined,
  });
  if (permit.kind === "refused") return { status: permit.status, body: { ...holdfastMark, detail: permit.why } };
  const body = await readBytes(incoming, mostBytes(address, deps.limits));
  if (body.kind === "too-large")
    return refusedUpload(413, `At most ${mostBytes(address, deps.limits)} bytes are taken at once.`);
  if (body.kind !== "complete") return refusedUpload(400, "The body was cut.");
  const [path = ""] = (incoming.url ?? "").split("?", 1);
  const { headers } = incoming;
  return answerPermitted(deps, address, { project: permit.project, method, headers, path, query, body: body.bytes });
}

async function answerPermitted(
  deps: UploadDeps,
  address: UploadAddress,
  upload: PermittedUpload,
): Promise<UploadAnswer> {
  switch (address.kind) {
    case "information":
      return { status: 200, body: { version: "0", auth: { scopes: ["project:releases"] }, user: null } };
    case "build":
      return answerBuild(deps, upload);
    case "map":
      return answerMap(deps, upload, address.debugId);
    case "chunks":
      return upload.method === "GET" ? chunkOptions(deps, upload, address.organization) : answerChunks(deps, upload);
    case "assemble":
      return answerAssemble(deps, upload);
    case "releases":
      return answerReleases(deps, upload, address.project);
    case "release":
      return answerRelease(deps, upload, address.version);
    case "commits":
      return answerCommits(deps, upload, address.version);
    case "deploys":
      return answerDeploys(deps, upload, address.version);
    // Commits come from the client's own repository.
    case "repositories":
      return { status: 200, body: [] };
    case "previous-commits":
      return { status: 200, body: {} };
    case "unknown":
      return refusedUpload(404, nothingHere);
  }
}

function methodsOf(address: UploadAddress): readonly string[] {
  switch (address.kind) {
    case "information":
    case "repositories":
    case "commits":
    case "previous-commits":
      return ["GET"];
    case "map":
      return ["PUT"];
    case "release":
      return ["GET", "PUT"];
    case "assemble":
      return ["POST"];
    default:
      return ["GET", "POST"];
  }
}

function mostBytes({ kind }: UploadAddress, { bodyBytes, jsonBytes }: UploadLimits): number {
  return kind === "map" || kind === "chunks" ? bodyBytes : jsonBytes;
}

const nothingHere =
  "There is nothing at this address. Below /api/0 are chunk-upload, artifactbundle/assemble, releases, deploys and builds.";
