import { type PathSegment, SearchNode } from "#routes";
import * as pageErrors from "../errors.ts";
import { pathOfIssue, type SchemaIssue } from "../standard-schema.ts";
import type { Params } from "../view.ts";
import type { LoadedRoute } from "./load-route.ts";
import { fitFields } from "./typed-search.ts";

/** The schema refuses a parameter, so the page does not exist. Not an Error: nothing of ours has failed. */
export class ParamsDoNotFit {
  readonly refused = "params";
}

/** Reads the parameters of an address with the route's schema, if it has one. Rejects with `ParamsDoNotFit`. */
export async function readTypedParams(route: LoadedRoute, params: Params): Promise<unknown> {
  if (!route.params) return params;
  const fields = new Map(Object.entries(params).map(([name, text]) => [name, SearchNode.ofSegment(text)]));
  const fitted = await fitFields(route.params, fields);
  if (fitted.kind === "fits") return fitted.value;
  const unknown = unknownName(fitted.issues, route.segments);
  // Otherwise a misspelled name would make every address of the route a 404.
  if (unknown !== undefined) throw pageErrors.unknownParameter(route.id ?? "", unknown);
  throw new ParamsDoNotFit();
}

function unknownName(issues: readonly SchemaIssue[], segments: readonly PathSegment[]): string | undefined {
  const names = issues.flatMap((issue) => pathOfIssue(issue).slice(0, 1).map(String));
  return names.find((name) => !segments.some((one) => one.kind !== "static" && one.name === name));
}
