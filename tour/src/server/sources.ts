import { highlight } from "./highlight.ts";

/** The tour's own page files as text, so that every page can show its source. */
const files: Readonly<Record<string, string>> = import.meta.glob("../pages/**/*.{ts,tsx}", {
  query: "?raw",
  import: "default",
  eager: true,
});

export interface Source {
  /** Path in the repository. */
  file: string;
  pieces: ReturnType<typeof highlight>;
}

/** Returns the page file of a route and its server file, if they exist. */
export function sourcesOf(route: string): Source[] {
  const base = route === "/" ? "/index" : route;
  return [`${base}.tsx`, `${base}/index.tsx`, `${base}.server.ts`, `${base}/index.server.ts`].flatMap((name) => {
    const text = files[`../pages${name}`];
    return text === undefined
      ? []
      : [{ file: `tour/src/pages${name}`, pieces: highlight(text.trimEnd(), name.endsWith("x") ? "tsx" : "ts") }];
  });
}
