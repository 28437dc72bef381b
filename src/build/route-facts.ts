import type { ApplicationFiles } from "./application-files.ts";

/** A route in the form that scripts, editors and agents use. Files are relative to the application. */
export interface RouteFacts {
  id: string;
  kind: "page" | "api";
  params: string[];
  page: string | undefined;
  server: string | undefined;
  layouts: string[];
}

export function routeFacts({ table }: Pick<ApplicationFiles, "table">): RouteFacts[] {
  const inPages = (file: string | undefined): string | undefined => file && `src/pages/${file}`;
  return table.routes.map(({ id, kind, page, server, folders, segments }) => ({
    id,
    kind,
    params: segments.flatMap((segment) => (segment.kind === "static" ? [] : [segment.name])),
    page: inPages(page),
    server: inPages(server),
    layouts: folders.flatMap((index) => inPages(table.folders[index]?.layout) ?? []),
  }));
}
