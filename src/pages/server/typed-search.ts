import {
  readSearch,
  readSearchFields,
  type SearchLimits,
  type SearchNode,
  searchReadings,
  writeDefaults,
} from "#routes";
import { pathOfIssue, type Schema, type SchemaIssue } from "../standard-schema.ts";
import type { TypedAddress } from "../view.ts";

/** The search of the address does not fit the page's schema. Not an Error: nothing of ours has failed. */
export class SearchDoesNotFit {}

/** What a page does with a search that its schema refuses: it uses defaults for wrong values, or responds with 400. */
export type WrongSearch = "defaults" | "refuse";

/** Reads the search of an address with the page's schema. Rejects with `SearchDoesNotFit`. */
export async function readTypedSearch(
  schema: Schema,
  wrongSearch: WrongSearch,
  pairs: URLSearchParams,
  limits: SearchLimits,
): Promise<TypedAddress> {
  const read = readSearch(pairs, limits);
  if (read.kind === "refused") throw new SearchDoesNotFit();
  const defaults = await fitFields(schema, new Map());
  const fitted = read.fields.size === 0 ? defaults : await fitOrDefault(schema, read.fields, wrongSearch);
  if (fitted.kind === "wrong") throw new SearchDoesNotFit();
  return { search: fitted.value, defaults: defaults.kind === "fits" ? writeDefaults(Object(defaults.value)) : {} };
}

type Fields = Map<string, SearchNode>;
type Fitted = { kind: "fits"; value: unknown } | { kind: "wrong"; issues: readonly SchemaIssue[] };

/** Leaves out the keys that do not fit, then all. The rest of a search stays, if only one value is wrong. */
async function fitOrDefault(schema: Schema, fields: Fields, wrongSearch: WrongSearch): Promise<Fitted> {
  const fitted = await fitFields(schema, fields);
  if (fitted.kind === "fits" || wrongSearch === "refuse") return fitted;
  for (const issue of fitted.issues) fields.delete(String(pathOfIssue(issue)[0]));
  const rest = await fitFields(schema, fields);
  return rest.kind === "fits" ? rest : fitFields(schema, new Map());
}

/** Validates, and reads in another way what the schema refuses. The number of rounds is bounded, whatever is sent. */
export async function fitFields(schema: Schema, fields: Fields): Promise<Fitted> {
  for (let round = 0; ; round++) {
    const result = await schema["~standard"].validate(readSearchFields(fields));
    if (!result.issues) return { kind: "fits", value: result.value };
    // Several issues may be about one value.
    const others = new Set(result.issues.map((issue) => otherOf(fields, issue)));
    others.delete(undefined);
    if (others.size === 0 || round === searchReadings) return { kind: "wrong", issues: result.issues };
    for (const node of others) node?.readOtherwise();
  }
}

function otherOf(fields: Fields, issue: SchemaIssue): SearchNode | undefined {
  const [key, ...rest] = pathOfIssue(issue);
  return key === undefined ? undefined : fields.get(String(key))?.findOther(rest);
}
