import type { Plugin } from "vite";
import { plainLine } from "#errors";

/**
 * Prints what the content security policy refuses in a page. Production refuses it too, so the developer should know
 * now.
 */
export function printRefusals(): Plugin {
  const printed = new Set<string>();
  return {
    name: "holdfast:print-refusals",
    apply: "serve",
    configureServer(server) {
      server.environments.client?.hot.on("holdfast:refused", (refusal: unknown) => {
        const sentence = sentenceAbout(refusal);
        if (sentence === undefined || printed.has(sentence) || printed.size > printedAtMost) return;
        printed.add(sentence);
        server.config.logger.warn(sentence);
      });
    },
  };
}

/** A page may cause a new refusal with every click; after this many, the developer knows. */
const printedAtMost = 100;

function sentenceAbout(refusal: unknown): string | undefined {
  const field = (name: string): string => {
    const value: unknown = typeof refusal === "object" && refusal !== null ? Reflect.get(refusal, name) : undefined;
    return typeof value === "string" ? plainLine(value.slice(0, 300)) : "";
  };
  const directive = field("directive");
  if (directive === "") return undefined;
  const what =
    field("blocked") === "inline" && directive.startsWith("style") ? "a style written by a script" : field("blocked");
  const by = field("source") === "" ? "" : `, by ${field("source")}`;
  const refused = `! The content security policy refused ${what} on ${field("page")} (${directive}${by}).`;
  return `${refused} Production refuses it too. ${adviceFor(directive, field("blocked"))}`;
}

function adviceFor(directive: string, blocked: string): string {
  if (blocked === "eval") {
    return "If a library only tries whether it may, nothing breaks; in Zod `z.config({ jitless: true })` turns that off.";
  }
  const allow = "allow it by `csp` in holdfast.config.ts.";
  return directive.startsWith("style") ? `Use a stylesheet, or ${allow}` : `If the page needs it, ${allow}`;
}
