import { compileGlob, compileNames } from "../../intake/glob.ts";

/** What rules compare of an event. */
export interface OwnedFacts {
  /** Files of the application in its stacks, each as its folders and its name. */
  readonly paths: readonly (readonly string[])[];
  readonly route: string | undefined;
  readonly url: string | undefined;
  readonly tags: readonly (readonly [key: string, value: string])[];
}

export type CompiledMatcher =
  | { readonly kind: "compiled"; readonly matches: (facts: OwnedFacts) => boolean }
  | { readonly kind: "refused"; readonly why: string };

export type CompileMatcher = (pattern: string) => CompiledMatcher;

/** Longer texts are compared as far as this. Servers accept addresses of some 8,000 characters. */
const comparedChars = 8_192;

const compiled = (matches: (facts: OwnedFacts) => boolean): CompiledMatcher => ({ kind: "compiled", matches });

/**
 * A path of files, as in a CODEOWNERS file: `*` is a part of a name, `**` any number of folders. It may begin at any
 * folder, because stacks of servers name files from the root of the disk; with `/` at its beginning, it is compared
 * from the first folder. A folder means everything in it.
 */
export const compilePath: CompileMatcher = (pattern) => {
  const isAnchored = pattern.startsWith("/");
  const names = pattern.split("/").filter((name) => name !== "" && name !== ".");
  const last = names.at(-1);
  if (last === undefined) return { kind: "refused", why: "Write a file or a folder, or ** for all of them." };
  const isFolder = pattern.endsWith("/") || !last.includes("*");
  const matches = compileNames([...(isAnchored ? [] : ["**"]), ...names, ...(isFolder ? ["**"] : [])]);
  return compiled(({ paths }) => paths.some(matches));
};

/** Longer paths are compared as far as this. */
const comparedPath = 1_000;

/** `app:///src/a.ts`, `../src/a.ts` and `src\a.ts` are `src/a.ts`; `webpack://shop/./src/a.ts` is `shop/src/a.ts`. */
export function splitPath(path: string): string[] {
  const plain = path.slice(0, comparedPath).replace(/^[a-z][\w+.-]*:\/\//i, "");
  return plain.split(/[/\\]/).filter((name) => name !== "" && name !== "." && name !== "..");
}

/** A route: `*` is a part of a name, `**` any number of names. `/orders/**` is also `/orders`. */
export const compileRoute: CompileMatcher = (pattern) => {
  const matches = compileNames(pattern.split("/"));
  return compiled(({ route }) => route !== undefined && matches(route.slice(0, comparedChars).split("/")));
};

/** An address: `*` is any text. */
export const compileUrl: CompileMatcher = (pattern) => {
  const matches = compileGlob(pattern);
  return compiled(({ url }) => url !== undefined && matches(url.slice(0, comparedChars)));
};

/** `name=value`: `*` in the value is any text. */
export const compileTag: CompileMatcher = (pattern) => {
  const equals = pattern.indexOf("=");
  if (equals < 1 || equals === pattern.length - 1)
    return { kind: "refused", why: "Write a name and a value: tag:plan=enterprise." };
  const name = pattern.slice(0, equals);
  const matches = compileGlob(pattern.slice(equals + 1));
  return compiled(({ tags }) => tags.some(([key, value]) => key === name && matches(value.slice(0, comparedChars))));
};
