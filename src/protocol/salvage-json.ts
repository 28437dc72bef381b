/**
 * Reads as much as possible of JSON that is cut off or contains characters that JSON forbids: control characters in
 * texts, NaN and Infinity. Reading ends at the first invalid place, and open values are closed there. The value is
 * undefined if not even the first one can be read.
 */
export function salvageJson(text: string, jsonDepth: number): { value: unknown; readTo: number } {
  const salvage = new Salvage(text, jsonDepth);
  const value = salvage.value(0);
  return { value, readTo: salvage.readTo };
}

const spaces = /[\s,]*/y;
const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /true|false|null|NaN|-?Infinity/y;
const words: Readonly<Record<string, boolean | null>> = { true: true, false: false };
const escapes: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

class Salvage {
  readonly #text: string;
  readonly #jsonDepth: number;
  #at = 0;
  #endedAt: number | undefined;

  constructor(text: string, jsonDepth: number) {
    this.#text = text;
    this.#jsonDepth = jsonDepth;
  }

  get readTo(): number {
    return this.#endedAt ?? this.#text.length;
  }

  value(depth: number): unknown {
    this.#match(spaces);
    const first = this.#text[this.#at];
    if (first === '"') return this.#string().text;
    if (first === "{" || first === "[") {
      this.#at += 1;
      if (depth === this.#jsonDepth) return this.#end();
      return first === "{" ? this.#object(depth + 1) : this.#list(depth + 1);
    }
    const plain = this.#match(word);
    if (plain !== undefined) return words[plain] ?? null;
    const digits = this.#match(number);
    return digits === undefined ? this.#end() : Number(digits);
  }

  #object(depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    while (!this.#isClosedBy("}")) {
      if (this.#text[this.#at] !== '"') {
        this.#end();
        break;
      }
      const name = this.#string();
      this.#match(spaces);
      if (!name.isWhole || this.#text[this.#at] !== ":") {
        this.#end();
        break;
      }
      this.#at += 1;
      const value = this.value(depth);
      if (value !== undefined) entries.push([name.text, value]);
    }
    // fromEntries defines own properties, so that a key named __proto__ stays a key.
    return Object.fromEntries(entries);
  }

  #list(depth: number): unknown[] {
    const values: unknown[] = [];
    while (!this.#isClosedBy("]")) {
      const value = this.value(depth);
      if (value !== undefined) values.push(value);
    }
    return values;
  }

  #isClosedBy(end: string): boolean {
    this.#match(spaces);
    if (this.#at >= this.#text.length) return true;
    if (this.#text[this.#at] !== end) return false;
    this.#at += 1;
    return true;
  }

  #string(): { text: string; isWhole: boolean } {
    const pieces: string[] = [];
    let from = this.#at + 1;
    for (let at = from; at < this.#text.length; at += 1) {
      const character = this.#text[at];
      if (character === '"') {
        this.#at = at + 1;
        return { text: pieces.join("") + this.#text.slice(from, at), isWhole: true };
      }
      if (character !== "\\") continue;
      pieces.push(this.#text.slice(from, at));
      const hex = this.#text[at + 1] === "u" ? /^[0-9a-f]{4}/i.exec(this.#text.slice(at + 2, at + 6))?.[0] : undefined;
      const escaped = this.#text[at + 1] ?? "";
      pieces.push(hex === undefined ? (escapes[escaped] ?? escaped) : String.fromCharCode(Number.parseInt(hex, 16)));
      at += hex === undefined ? 1 : 5;
      from = at + 1;
    }
    this.#at = this.#text.length;
    return { text: `${pieces.join("")}${this.#text.slice(from)}…`, isWhole: false };
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  /** Ends reading at this place. */
  #end(): undefined {
    this.#endedAt ??= this.#at;
    this.#at = this.#text.length;
    return undefined;
  }
}
