import { HoldfastError } from "#errors";
import { isObject } from "#protocol";
import { apiPath } from "../console-path.ts";
import { apiErrors } from "./errors.ts";
import type { ApiOperations } from "./operations/api-operations.ts";
import type { Operation, ResponseOf } from "./route.ts";
import type { AsJson } from "./schema/as-json.ts";

export interface ApiClientOptions {
  /** Where the service is, for example `https://errors.example`. */
  readonly url: string;
  /** A token of a person or project: `hft_…`. */
  readonly token: string;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch;
}

type Types<Op extends Operation> = ApiOperations[Op];

/** Parameters with a default may be left out. */
type QueryInput<T> = Partial<T>;

/** Parameters of the path, the search and the body of an operation, as far as it has them. */
export type ApiInput<Op extends Operation> = (Types<Op> extends { params: infer T }
  ? { readonly params: T }
  : unknown) &
  (Types<Op> extends { query: infer T } ? { readonly query?: QueryInput<T> } : unknown) &
  (Types<Op> extends { body: infer T } ? { readonly body: T } : unknown);

/** Undefined for an operation without a response. */
export type ApiResponse<Op extends Operation> = AsJson<ResponseOf<Types<Op>>>;

/** Operations whose response is one page of a list. */
export type ListOperation = {
  [Op in Operation]: ApiResponse<Op> extends { readonly items: readonly unknown[]; readonly next?: string | undefined }
    ? Op
    : never;
}[Operation];

type Item<Op extends ListOperation> = ApiResponse<Op> extends { readonly items: readonly (infer T)[] } ? T : never;

/** The API from a program. A refusal rejects with a `HoldfastError` that has its code. */
export interface ApiClient {
  call<Op extends Operation>(operation: Op, input: ApiInput<Op>): Promise<ApiResponse<Op>>;
  /** All entries of a list, page by page. */
  all<Op extends ListOperation>(operation: Op, input: ApiInput<Op>): AsyncGenerator<Item<Op>>;
  /** An event as Markdown, by id or digest. */
  eventAsMarkdown(project: number, id: string): Promise<string>;
  /** The lines of a project's export, from a cursor on. Rejects if the connection is cut. */
  exportLines(project: number, after?: string): AsyncGenerator<string>;
}

interface SentInput {
  readonly params?: object;
  readonly query?: object;
  readonly body?: unknown;
}

/** Calls the API of a service. The types of all operations are those that the service checks. */
export function createApiClient({ url, token, fetch: send = fetch }: ApiClientOptions): ApiClient {
  const ask = async (operation: string, { params, query, body }: SentInput, accept: string): Promise<Response> => {
    const [method = "GET", path = ""] = operation.split(" ");
    const address = new URL(apiPath + filledIn(path, params), url);
    for (const [name, value] of Object.entries(query ?? {}))
      if (value !== undefined) address.searchParams.set(name, String(value));
    const response = await send(address, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        Accept: accept,
        ...(body !== undefined && { "Content-Type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw await errorOf(response);
    return response;
  };
  const call = async (operation: string, input: SentInput): Promise<unknown> => {
    const response = await ask(operation, input, "application/json");
    return response.status === 204 ? undefined : response.json();
  };
  return {
    // The service writes each response by the schema of its operation.
    call: (operation, input) => call(operation, input as SentInput) as Promise<never>,
    async *all(operation, given) {
      const input = given as SentInput;
      for (let cursor: string | undefined; ; ) {
        const page: unknown = await call(operation, { ...input, query: { ...input.query, cursor } });
        const { items, next } = isObject(page) ? page : {};
        if (Array.isArray(items)) yield* items;
        if (typeof next !== "string") return;
        cursor = next;
      }
    },
    async eventAsMarkdown(project, id) {
      const operation = "GET /projects/{project}/events/{id}" satisfies Operation;
      return (await ask(operation, { params: { project, id } }, "text/markdown")).text();
    },
    async *exportLines(project, after) {
      const operation = "GET /projects/{project}/export" satisfies Operation;
      const { body } = await ask(operation, { params: { project }, query: { after } }, "application/x-ndjson");
      let rest = "";
      for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        yield* lines;
      }
    },
  };
}

function filledIn(path: string, params: object = {}): string {
  let filled = path;
  for (const [name, value] of Object.entries(params))
    filled = filled.replace(`{${name}}`, () => encodeURIComponent(String(value)));
  return filled;
}

/** A proxy in front of the service may answer in its place, with anything. */
async function errorOf(response: Response): Promise<HoldfastError> {
  const problem: unknown = await response.json().catch(() => undefined);
  const { code, title, detail } = isObject(problem) ? problem : {};
  if (typeof code === "string" && typeof title === "string" && typeof detail === "string")
    return new HoldfastError(code, title, detail);
  return apiErrors.noAnswer(response.status);
}
