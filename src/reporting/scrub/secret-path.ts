/** What stands where something was taken out, so that a reader knows that there was something. */
export const leftOut = "[left-out]";

/** What to look for, and what to put in its place. */
export type ReplacementRules = readonly (readonly [RegExp, string])[];

/** Where an address begins in a text: with the text, after a space or a quote, or after the host. */
const pathBegins = String.raw`(^|[\s"'(]|:\/\/[^\s/]+)`;
// What begins with a bracket is the route itself, not an address of it.
const oneSegment = String.raw`(?!\[)[^/\s?#"'()&]+`;
const manySegments = String.raw`(?!\[)[^\s?#"'()&]+`;

/** `/reset/[token]` as an expression, and what to put in its place; none when the route keeps no secret. */
export function secretPath(id: string, isSecretName: (name: string) => boolean): ReplacementRules {
  let source = pathBegins;
  let instead = "$1";
  let group = 1;
  let isSecret = false;
  let isStatic = false;
  for (const segment of id.split("/").slice(1)) {
    const [, rest, name] = /^\[(\.\.\.)?(.+)\]$/.exec(segment) ?? [];
    const any = rest === undefined ? oneSegment : manySegments;
    if (name !== undefined && isSecretName(name)) {
      source += `/${any}`;
      instead += `/${leftOut}`;
      isSecret = true;
      continue;
    }
    if (name === undefined && segment !== "") isStatic = true;
    source += `(/${name === undefined ? escaped(segment) : any})`;
    instead += `$${++group}`;
  }
  // Without a word of its own it fits the beginning of every path, so it has to fit to the end.
  const end = isStatic ? String.raw`(?=[/?#\s"')&]|$)` : String.raw`(?=[?#\s"')&]|$|\/_(?:data|action)\b)`;
  return isSecret ? [[new RegExp(source + end, "g"), instead]] : [];
}

export function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
