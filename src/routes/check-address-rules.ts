import { type AddressRule, shapeOfSegments, writeTargetPath } from "./address-rules.ts";
import { createFinder } from "./find-route.ts";
import { readParameter } from "./read-segment.ts";
import { fixedPaths, type RouteTable } from "./route-table.ts";

/** What answers beside routes and rules. */
export interface OtherAnswers {
  /** Whether a path is a file of `public`. */
  isPublicFile(path: string): boolean;
  isPublicFolder(path: string): boolean;
  /** Whether the framework or another server answers below this path. */
  isElsewhere(path: string): boolean;
}

/** Stands for any value of a parameter: a name that no route has. */
const anyValue = "~any~";

/**
 * Checks both tables against the routes: a rule that hides a page, a loop, and a target that nothing answers. One
 * sentence for each.
 */
export function checkAddressRules(
  rules: readonly AddressRule[],
  { routes }: Pick<RouteTable, "routes">,
  others: OtherAnswers,
): string[] {
  const find = createFinder([...routes, ...rules], readParameter);
  const files = new Map(
    routes.flatMap(({ segments, page, server }) =>
      fixedPaths(segments).map((one) => [shapeOfSegments(one), page ?? server ?? ""] as const),
    ),
  );

  return rules.flatMap((rule) => {
    const name = `The ${rule.kind} from ${rule.from}`;
    const file = files.get(shapeOfSegments(rule.segments));
    if (file !== undefined) return [`${name} hides src/pages/${file}.`];
    if (others.isPublicFile(sampleOf(rule.segments))) return [`${name} is never used: public has a file at this path.`];
    const why = rule.to.origin === "" ? problemOf(rule) : undefined;
    return why === undefined ? [] : [`${name} to ${rule.to.text} ${why}.`];
  });

  function problemOf(first: AddressRule): string | undefined {
    const chain: AddressRule[] = [];
    for (let rule = first; ; ) {
      if (chain.includes(rule)) return `is a loop: ${[...chain, rule].map(({ from }) => from).join(", then ")}`;
      chain.push(rule);
      const path = sampleOf(rule.to.segments);
      const { index } = find(path);
      if (index < 0) return hasOtherAnswer(rule, path) ? undefined : `leads to ${rule.to.text}, which nothing answers`;
      const next = rules[index - routes.length];
      if (!next) return undefined;
      if (first.kind === "rewrite") return notARoute;
      if (next.kind === "rewrite" || next.to.origin !== "") return undefined;
      rule = next;
    }
  }

  function hasOtherAnswer({ kind, to }: AddressRule, path: string): boolean {
    if (kind === "rewrite") return false;
    const folder = sampleOf(
      to.segments.slice(
        0,
        to.segments.findIndex((one) => one.kind !== "static"),
      ),
    );
    const isFolder = path.includes(anyValue) && folder !== "/" && others.isPublicFolder(folder);
    return others.isPublicFile(path) || others.isElsewhere(path) || isFolder;
  }
}

const notARoute = "must lead to a page, an API route or another server, not to a further line of the tables";

function sampleOf(segments: AddressRule["segments"]): string {
  const names = segments.flatMap((one) => (one.kind === "static" ? [] : [[one.name, anyValue]]));
  return writeTargetPath({ text: "", origin: "", segments, search: "", hash: "" }, Object.fromEntries(names));
}
