import type { Application } from "./application.ts";

/**
 * What another build must have in common with this one to answer a route for it. Pages that are open keep posting to
 * the actions they know, so these have to be the same.
 */
export type RouteContract =
  | { kind: "contract"; parts: Readonly<Record<ContractPart, string>> }
  /** The route says `heals = false`. */
  | { kind: "refused" }
  /** Its files cannot be loaded, so none of its code can run. */
  | { kind: "unreadable" }
  | { kind: "missing" };

export type ContractPart = "kind" | "folders" | "guards" | "actions" | "methods";

/** `route`: the pattern of its addresses. */
export async function contractOf(application: Application, route: string): Promise<RouteContract> {
  const index = application.patterns.findIndex(({ id }) => id === route);
  const entry = application.parts.table.routes[index];
  if (!entry) return { kind: "missing" };
  const loaded = await application.byId(entry.id).catch(() => undefined);
  if (!loaded) return { kind: "unreadable" };
  if (!loaded.heals) return { kind: "refused" };
  const folders = entry.folders.map((folder) => application.parts.table.folders[folder]?.id ?? "");
  // Every page may have a component that posts to its own file.
  const ofFiles = loaded.kind === "page" ? await application.fileActions().catch(() => undefined) : [];
  if (!ofFiles) return { kind: "unreadable" };
  const all = [...loaded.actions, ...[...ofFiles].map(([name, { action }]) => [name, action] as const)];
  const actions = all.map(([name, { input, uploads, keeps }]) =>
    [name, input && "input", uploads && "uploads", keeps && "keeps"].filter(Boolean).join(" "),
  );
  return {
    kind: "contract",
    parts: {
      kind: loaded.kind,
      folders: folders.join(", "),
      guards: loaded.guards.map((guard) => (guard ? "guard" : "none")).join(", "),
      actions: actions.sort().join(", "),
      methods: [...loaded.methods.keys()].sort().join(", "),
    },
  };
}
