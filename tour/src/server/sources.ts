import { highlight } from "./highlight.ts";

/** The tour's own page files as text, so that every page can show its source. */
const files: Readonly<Record<string, string>> = import.meta.glob(
  [
    "../pages/**/*.{ts,tsx}",
    "../*.server.ts",
    "../languages/settings.ts",
    "../server/{lamps,lamp-orders,ferries,run-gate,run-release}.ts",
    "../try/{invoice-schema,stars.actions.server,use-visible-rows}.ts",
    "../try/{chosen-files,stars}.tsx",
  ],
  {
    query: "?raw",
    import: "default",
    eager: true,
  },
);

export interface Source {
  /** Path in the repository. */
  file: string;
  pieces: ReturnType<typeof highlight>;
}

/** Returns the page file of a route, its server file, and others below `tour/src`, as far as they exist. */
export function sourcesOf(route: string, more: readonly string[] = []): Source[] {
  const base = `pages${route === "/" ? "/index" : route}`;
  const names = [`${base}.tsx`, `${base}/index.tsx`, `${base}.server.ts`, `${base}/index.server.ts`, ...more];
  return names.flatMap((name) => {
    // Vite names files of this folder by `./`.
    const text = files[`../${name}`] ?? files[name.replace(/^server\//, "./")];
    return text === undefined
      ? []
      : [{ file: `tour/src/${name}`, pieces: highlight(text.trimEnd(), name.endsWith("x") ? "tsx" : "ts") }];
  });
}
