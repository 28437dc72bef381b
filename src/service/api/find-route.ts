import type { AnyRoute, Routes } from "./route.ts";

export type FoundApiRoute =
  | { readonly kind: "found"; readonly route: AnyRoute; readonly params: URLSearchParams }
  | { readonly kind: "wrong-method"; readonly allowed: readonly string[] }
  | { readonly kind: "none" };

export type FindRoute = (method: string, path: string) => FoundApiRoute;

interface Candidate {
  readonly method: string;
  readonly parts: readonly string[];
  readonly route: AnyRoute;
}

/** Finds routes by method and path. A fixed part of a path takes precedence over a parameter. */
export function createFindRoute(routes: Routes): FindRoute {
  const candidates = Object.entries<AnyRoute>(routes)
    .map(([operation, route]) => candidateOf(operation, route))
    .sort((one, other) => parametersIn(one) - parametersIn(other));
  return (method, path) => {
    const parts = decoded(path);
    if (parts === undefined) return { kind: "none" };
    const matching = candidates.filter((one) => matches(one.parts, parts));
    // A HEAD request is a GET request without the body.
    const asked = method === "HEAD" ? "GET" : method;
    const chosen = matching.find((one) => one.method === asked);
    if (chosen) return { kind: "found", route: chosen.route, params: paramsOf(chosen.parts, parts) };
    if (matching.length === 0) return { kind: "none" };
    return { kind: "wrong-method", allowed: [...new Set(matching.map((one) => one.method))] };
  };
}

function candidateOf(operation: string, route: AnyRoute): Candidate {
  const [method = "", path = ""] = operation.split(" ");
  return { method, parts: path.split("/").slice(1), route };
}

function parametersIn({ parts }: Candidate): number {
  return parts.filter(isParameter).length;
}

function isParameter(part: string): boolean {
  return part.startsWith("{");
}

/** Undefined for a path that is not encoded correctly. */
function decoded(path: string): readonly string[] | undefined {
  try {
    return path.split("/").slice(1).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function matches(known: readonly string[], asked: readonly string[]): boolean {
  return known.length === asked.length && known.every((part, at) => isParameter(part) || part === asked[at]);
}

function paramsOf(known: readonly string[], asked: readonly string[]): URLSearchParams {
  const params = new URLSearchParams();
  for (const [at, part] of known.entries()) if (isParameter(part)) params.set(part.slice(1, -1), asked[at] ?? "");
  return params;
}
