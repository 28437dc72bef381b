import { sourceOf, TokenBuckets } from "#bounds";
import type { ConsoleApi } from "../console-api/console-api.ts";
import { apiPath, consolePath } from "../console-path.ts";
import { StoreUnavailable } from "../stores/store.ts";
import { apiErrors } from "./errors.ts";
import { createFindRoute, type FoundApiRoute } from "./find-route.ts";
import { type ApiCaller, identifyCaller } from "./identify-caller.ts";
import { type ApiLimits, apiLimitsOf } from "./limits.ts";
import { permit, refuseRole } from "./permit.ts";
import type { ApiProblem } from "./problem.ts";
import { readInputBody, readParameters } from "./read-input.ts";
import { respond, respondWithProblem } from "./respond.ts";
import { apiRoutes } from "./routes/table.ts";

export interface ApiDeps {
  readonly api: ConsoleApi;
  /** Records an unexpected error. The client learns nothing about it. */
  readonly onError: (error: unknown) => void;
  readonly limits?: ApiLimits;
  /** Milliseconds that never jump. */
  readonly elapsed?: () => number;
}

/** What a `Request` does not tell about its sender. */
export interface ApiSender {
  /** Network address of the client. */
  readonly address: string;
}

/** Answers requests below `/_holdfast/api/v1`. Never rejects. The address of the request has the public origin. */
export type HandleApi = (request: Request, sender: ApiSender) => Promise<Response>;

export function createApiHandler(deps: ApiDeps): HandleApi {
  const { limits = apiLimitsOf(process.env), elapsed = () => performance.now() } = deps;
  const find = createFindRoute(apiRoutes);
  const rates = new TokenBuckets(limits.perMinute, limits.perMinute / 60);
  const bounds = { limits, waitOf: (countedAs: string) => rates.take(countedAs, elapsed()) };
  return async (request, sender) => {
    const path = new URL(request.url).pathname.slice(apiPath.length);
    const found = find(request.method, path);
    if (found.kind !== "found") return respondWithProblem(problemOfRoute(request, path, found));
    try {
      return await handleApiRequest(request, found, { api: deps.api, ...sender, ...bounds });
    } catch (error) {
      if (error instanceof StoreUnavailable) return respondWithProblem(unavailable);
      deps.onError(error);
      return respondWithProblem({ status: 500, error: apiErrors.failed() });
    }
  };
}

interface RequestDeps extends ApiSender {
  readonly api: ConsoleApi;
  readonly limits: ApiLimits;
  /** Counts a request. Returns the seconds to wait. */
  readonly waitOf: (countedAs: string) => number;
}

type Found = Extract<FoundApiRoute, { kind: "found" }>;

/** The way of a request whose route is found: who, how often, whether permitted, which input, then the handler. */
async function handleApiRequest(
  request: Request,
  { route, params: given }: Found,
  deps: RequestDeps,
): Promise<Response> {
  const { api, limits, waitOf } = deps;
  const caller = route.needs === undefined ? anyone(deps) : await identifyCaller(request, deps);
  if (caller.kind === "refused") return respondWithProblem(caller.problem);
  const seconds = waitOf(caller.countedAs);
  if (seconds > 0) return respondWithProblem(tooMany(seconds));
  const params = readParameters(route.params, given);
  if (params.kind === "refused") return respondWithProblem(params.problem);
  const permission = await permit(api, caller, route, projectIn(given));
  if (permission.kind === "refused") return respondWithProblem(permission.problem);
  const url = new URL(request.url);
  const query = readParameters(route.query, url.searchParams);
  if (query.kind === "refused") return respondWithProblem(query.problem);
  const body = await readInputBody(request, route.body, route.isLarge ? limits.importBytes : limits.bodyBytes);
  if (body.kind === "refused") return respondWithProblem(body.problem);
  const outcome = await route.handle({
    api,
    person: caller.person,
    scopes: caller.scopes,
    session: caller.session,
    params: params.value,
    query: query.value,
    body: body.value,
    consoleAddress: url.origin + consolePath,
    wantsMarkdown: route.also !== undefined && prefersMarkdown(request.headers.get("accept") ?? ""),
  });
  if (outcome.kind === "forbidden")
    return respondWithProblem(await refuseRole(api, caller, outcome.role, projectIn(given)));
  return respond(request, route, outcome);
}

/** Of a route without needs. */
function anyone({ address }: ApiSender): ApiCaller {
  return { kind: "identified", person: { name: "anyone", roles: {} }, scopes: undefined, countedAs: sourceOf(address) };
}

function projectIn(params: URLSearchParams): number | undefined {
  const project = params.get("project");
  return project === null ? undefined : Number(project);
}

function problemOfRoute({ method }: Request, path: string, found: Exclude<FoundApiRoute, Found>): ApiProblem {
  if (found.kind === "none") return { status: 404, error: apiErrors.noRoute(path.slice(0, 200)) };
  const allowed = found.allowed.includes("GET") ? [...found.allowed, "HEAD"] : found.allowed;
  const list = allowed.join(", ");
  return { status: 405, error: apiErrors.wrongMethod(method.slice(0, 20), list), headers: { Allow: list } };
}

function tooMany(seconds: number): ApiProblem {
  return { status: 429, error: apiErrors.tooMany(seconds), retryAfterSeconds: seconds };
}

const retrySeconds = 5;

const unavailable: ApiProblem = { status: 503, error: apiErrors.unavailable(), retryAfterSeconds: retrySeconds };

/** JSON, unless the client names Markdown first. */
function prefersMarkdown(accept: string): boolean {
  const markdown = accept.indexOf("text/markdown");
  const json = accept.indexOf("application/json");
  return markdown >= 0 && (json < 0 || markdown < json);
}
