import type { ShownMessage } from "../parts/issue/message-text.tsx";

/** Quoted words, ids and numbers: what differs between two events of one issue. */
const variable =
  /("[^"]{1,60}"|'[^']{1,60}'|‘[^’]{1,60}’|“[^”]{1,60}”|\b[0-9a-f]{8,}(?:-[0-9a-f]+)*\b|\b\d[\d.,:-]*\d\b|\b\d\b)/i;

/** A shorter one fits every row beside its type. */
const longestWhole = 36;
/** Two messages with the same beginning differ here. */
const leastTail = 18;
const mostTail = 40;

/** Divides the message of an issue, so that a row that is too narrow for it loses its middle. */
export function showMessage(text: string): ShownMessage {
  // By splitting at a group, every second part is a match.
  const parts = text.split(variable);
  if (text.length <= longestWhole) return { head: parts, tail: [] };
  const tail: string[] = [];
  for (let place = parts.length - 1; place > 0 && lengthOf(tail) < leastTail; place -= 2) {
    const [marked = "", plain = ""] = [parts[place - 1], parts[place]];
    if (plain.length >= leastTail) break;
    if (lengthOf(tail) + marked.length + plain.length > mostTail) break;
    tail.unshift(marked, plain);
    parts.length = place - 1;
  }
  const last = parts.pop() ?? "";
  const cut = lengthOf(tail) >= leastTail ? last.length : endOf(last, leastTail - lengthOf(tail));
  return { head: [...parts, last.slice(0, cut)], tail: [last.slice(cut), ...tail] };
}

/** The type of an error before its message. */
export function typeBefore({ type, title }: { type: string | undefined; title: string }): string | undefined {
  return type !== undefined && title !== "" ? `${type}:` : type;
}

/** Where the last words begin that have so many letters together, a few more at most. */
function endOf(text: string, letters: number): number {
  const from = Math.max(0, text.length - letters);
  const space = text.lastIndexOf(" ", from);
  return space >= from - (mostTail - leastTail) && space >= 0 ? space : from;
}

function lengthOf(parts: readonly string[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}
