/** Replacement of removed values, so that a reader sees that there was one. */
export const leftOut = "[left-out]";

/** Patterns and their replacements. */
export type ReplacementRules = readonly (readonly [RegExp, string])[];

/** Start of an address in a text: the text's start, after a space or a quote, or after the host. */
const pathBegins = String.raw`(^|[\s"'(]|:\/\/[^\s/]+)`;
// A segment that starts with a bracket is the route itself, not an address.
const oneSegment = String.raw`(?!\[)[^/\s?#"'()&]+`;
const manySegments = String.raw`(?!\[)[^\s?#"'()&]+`;

/** Builds the pattern of `/reset/[token]` and its replacement; none if the route has no secret parameter. */
export function secretPath(id: string, isSecretName: (name: string) => boolean): ReplacementRules {
  const [optional] = /\/\[\[[^\]]+\]\]/.exec(id) ?? [];
  if (optional === undefined) return secretFixedPath(id, isSecretName);
  const ids = [id.replace(optional, optional.replace("[[", "[").replace("]]", "]")), id.replace(optional, "")];
  return ids.flatMap((one) => secretFixedPath(one, isSecretName));
}

function secretFixedPath(id: string, isSecretName: (name: string) => boolean): ReplacementRules {
  let source = pathBegins;
  let instead = "$1";
  let group = 1;
  let isSecret = false;
  let isStatic = false;
  for (const segment of id.split("/").slice(1)) {
    const [, rest, name] = /^\[(\.\.\.)?([^\]=]+)[^\]]*\]$/.exec(segment) ?? [];
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
  // Without a static segment, the pattern would match the start of every path, so it must match to the end.
  const end = isStatic ? String.raw`(?=[/?#\s"')&]|$)` : String.raw`(?=[?#\s"')&]|$|\/_(?:data|action)\b)`;
  return isSecret ? [[new RegExp(source + end, "g"), instead]] : [];
}

export function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
