import type { IncomingMessage } from "node:http";
import { pathBelow, splitLanguage } from "#routes";
import type { Application } from "./application.ts";
import { readTarget } from "./read-target.ts";

/** Whether an application answers an address. Decided by the address alone: no code of the application runs. */
export function ownsAddress(incoming: IncomingMessage, application: Application, which: "path" | "routes"): boolean {
  const { table, languages } = application.parts;
  const [sent = "/"] = (incoming.url ?? "/").split("?", 1);
  const below = pathBelow(table.at, sent);
  if (below === undefined || !sent.startsWith("/")) return false;
  if (which === "path" || below.startsWith("/_assets/")) return true;
  const target = readTarget(incoming);
  if (target.kind === "bad") return false;
  // Another spelling has the owner of the canonical one.
  const [path = "/"] = target.kind === "redirect" ? target.to.split("?", 1) : [target.path];
  return application.hasRoute(languages ? splitLanguage(languages.table, table.at, path).path : path);
}
