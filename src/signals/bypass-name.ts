import type { BypassReason } from "./signals.ts";

/** Names a reason in one word, or two: few values, without anything of the application. `locals`, `status 404`. */
export function bypassName(reason: BypassReason): string {
  if (reason.kind === "read") return reason.what;
  return reason.kind === "status" ? `status ${reason.status}` : reason.kind;
}

/** Says in a sentence's end why a page was not cached: `locals.user was read at src/pages/orders.server.ts:12`. */
export function describeBypass(reason: BypassReason): string {
  switch (reason.kind) {
    case "read": {
      const { what, name, place } = reason;
      const read = name === "" || name === "*" ? what : `${what}.${name}`;
      return `${read} was read${place === undefined ? "" : ` at ${place}`}`;
    }
    case "status":
      return `its status is ${reason.status}`;
    default:
      return sentences[reason.kind];
  }
}

const sentences: Readonly<Record<Exclude<BypassReason["kind"], "read" | "status">, string>> = {
  guard: "the page or a folder around it has a guard",
  "form-result": "it shows the result of a form",
  redirect: "it leads to another address",
  failed: "a part of it failed",
  changed: "what it depends on was changed meanwhile",
  "too-large": "it is too large",
};
