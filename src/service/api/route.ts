import type { Person, Role } from "../accounts/people.ts";
import type { ConsoleApi } from "../console-api/console-api.ts";
import type { Scope } from "../tokens/scopes.ts";
import type { ApiOperations } from "./operations/api-operations.ts";
import type { AsJson } from "./schema/as-json.ts";
import type { ApiSchema, JsonSchema } from "./schema/schema.ts";

/** Types of one operation. What it does not have is absent. */
export interface OperationTypes {
  readonly params?: object;
  readonly query?: object;
  readonly body?: object;
  readonly response?: object;
}

/** For example `GET /projects/{project}/issues`. */
export type Operation = keyof ApiOperations;

type Part<Types, Name extends keyof OperationTypes> = Types extends Readonly<Record<Name, infer T>> ? T : undefined;

export type ParamsOf<Types> = Part<Types, "params">;
export type QueryOf<Types> = Part<Types, "query">;
export type BodyOf<Types> = Part<Types, "body">;
export type ResponseOf<Types> = Part<Types, "response">;

/** What a caller must have. */
export interface Need {
  readonly scope: Scope;
  /** In the project of the path. `owner-of-all`: of the whole service. Undefined for every identified caller. */
  readonly role: Role | "owner-of-all" | undefined;
}

/** A checked request, as a handler gets it. */
export interface ApiCall<Types> {
  readonly api: ConsoleApi;
  readonly person: Person;
  /** Of a token. Undefined for a session, which permits what the person's roles permit. */
  readonly scopes: ReadonlySet<Scope> | undefined;
  /** Value of the console's cookie. Undefined for a token. */
  readonly session: string | undefined;
  readonly params: ParamsOf<Types>;
  readonly query: QueryOf<Types>;
  readonly body: BodyOf<Types>;
  /** Root of the console, for links. */
  readonly consoleAddress: string;
  readonly wantsMarkdown: boolean;
}

export type ApiOutcome<Response> =
  | { readonly kind: "ok"; readonly body: Response }
  | { readonly kind: "created"; readonly body: Response }
  | { readonly kind: "done" }
  | { readonly kind: "markdown"; readonly text: string }
  | { readonly kind: "file"; readonly bytes: Uint8Array; readonly filename: string }
  /** JSON objects, one in a line, that are sent as they are read. */
  | { readonly kind: "lines"; readonly lines: AsyncIterable<string>; readonly filename: string }
  /** `what` is a noun, such as `issue`. */
  | { readonly kind: "unknown"; readonly what: string }
  /** `path` is a JSON Pointer into the body. */
  | { readonly kind: "invalid"; readonly path: string; readonly why: string }
  | { readonly kind: "conflict"; readonly why: string }
  /** The route is open to the caller, but not for this. */
  | { readonly kind: "forbidden"; readonly role: Role };

/** A response is described as its client gets it. */
type ResponseSchemaFor<Types> =
  Types extends Readonly<Record<"response", infer T>>
    ? { readonly response: ApiSchema<AsJson<T>> }
    : { readonly response?: undefined };

type SchemaFor<Types, Name extends keyof OperationTypes> =
  Types extends Readonly<Record<Name, infer T>>
    ? { readonly [Key in Name]: ApiSchema<T> }
    : { readonly [Key in Name]?: undefined };

interface RouteFacts<Types> {
  readonly summary: string;
  /** Undefined: open to everyone. */
  readonly needs: Need | undefined;
  /** A further form of the response, by `Accept`. */
  readonly also?: "text/markdown";
  /** The response is a file, or lines of JSON, instead of JSON. */
  readonly isFile?: "bytes" | "lines";
  /** The body may be as large as a request of an import. */
  readonly isLarge?: boolean;
  handle(call: ApiCall<Types>): Promise<ApiOutcome<ResponseOf<Types>>>;
}

/** A row of the table of routes. */
export type Route<Types> = RouteFacts<Types> &
  SchemaFor<Types, "params"> &
  SchemaFor<Types, "query"> &
  SchemaFor<Types, "body"> &
  ResponseSchemaFor<Types>;

/** The routes of some operations. */
export type RoutesOf<Operations> = { readonly [Op in keyof Operations]: Route<Operations[Op]> };

export type Routes = RoutesOf<ApiOperations>;

/** A checked request of any route. */
export type AnyCall = Omit<ApiCall<unknown>, "params" | "query" | "body"> & {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
};

/** A route as the trunk sees it: any of the table. */
export interface AnyRoute extends Omit<RouteFacts<unknown>, "handle"> {
  handle(call: AnyCall): Promise<ApiOutcome<unknown>>;
  readonly params?: JsonSchema | undefined;
  readonly query?: JsonSchema | undefined;
  readonly body?: JsonSchema | undefined;
  readonly response?: JsonSchema | undefined;
}

export const ok = <T>(body: T): ApiOutcome<T> => ({ kind: "ok", body });
export const unknown = (what: string): { readonly kind: "unknown"; readonly what: string } => ({
  kind: "unknown",
  what,
});

const needsOf = (scope: Scope, role: Need["role"]): Need => ({ scope, role });

/** What the roles of the console permit, and the scope that a token needs for the same. */
export const viewer: Need = needsOf("read", "viewer");
/** Changes of what belongs to one person in a project, such as a saved search. */
export const viewerChanges: Need = needsOf("triage", "viewer");
export const member: Need = needsOf("triage", "member");
/** Reading what a viewer does not see, such as keys. */
export const memberReads: Need = needsOf("read", "member");
export const owner: Need = needsOf("admin", "owner");
export const ownerOfAll: Need = needsOf("admin", "owner-of-all");
export const identified: Need = needsOf("read", undefined);
/** Changes of what belongs to the caller alone, such as own tokens. */
export const identifiedOwner: Need = needsOf("admin", undefined);
