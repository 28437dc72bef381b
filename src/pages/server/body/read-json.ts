import type { ServerLimits } from "../../limits.ts";

export type Json = { kind: "json"; value: unknown } | { kind: "refused"; status: 400; why: string };

/** Reads a JSON body of a client. */
export function readJsonBody(text: string, limits: Pick<ServerLimits, "jsonDepth" | "jsonKeys">): Json {
  const why = whyNotPlain(text, limits);
  if (why) return { kind: "refused", status: 400, why };
  try {
    return { kind: "json", value: JSON.parse(text, withoutPrototypes) };
  } catch {
    return { kind: "refused", status: 400, why: "the body is not JSON" };
  }
}

function withoutPrototypes(this: unknown, key: string, value: unknown): unknown {
  return key === "__proto__" ? undefined : value;
}

/** Checks the text before it is parsed: the client chooses depth and number of keys, and both cost time. */
function whyNotPlain(text: string, limits: Pick<ServerLimits, "jsonDepth" | "jsonKeys">): string | undefined {
  let depth = 0;
  let keys = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inText) {
      if (code === 0x5c) at++;
      else if (code === 0x22) inText = false;
    } else if (code === 0x22) inText = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > limits.jsonDepth) return `the JSON is nested more than ${limits.jsonDepth} levels deep`;
    } else if (code === 0x7d || code === 0x5d) depth--;
    else if (code === 0x3a && ++keys > limits.jsonKeys) return `the JSON has more than ${limits.jsonKeys} keys`;
  }
  return undefined;
}
