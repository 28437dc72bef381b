import { isCardNumber, isSpanId, namedKeys, withoutCardNumbers } from "#protocol";
import { withoutNamed } from "./named-secrets.ts";
import { escaped, leftOut, type ReplacementRules, secretPath } from "./secret-path.ts";

/** Names whose values are secret, in any spelling: `accessToken`, `x-api-key`, `card_number`. */
const secretNames: readonly RegExp[] = [
  /pass(?:word|wd|phrase|code)|(?<![a-z])(?:pwd|pass)(?![a-z])/i,
  /secret|credential|token|jwt|bearer|nonce|otp(?![a-z])/i,
  /(?:api|access|private|secret|signing|encryption|sess|session|auth)[-_]?(?:key|id)(?![a-z])/i,
  /authori[sz]ation|(?<![a-z])auth(?![a-z])|cookie|csrf|xsrf/i,
  /(?:card|account)[-_]?(?:number|no)(?![a-z])|(?<![a-z])(?:cvv|cvc|pin|ssn|iban)(?![a-z])/i,
];

/** Names whose values are client addresses. */
const addressNames =
  /ip[-_]?addr(?:ess)?|remote[-_]?addr(?:ess)?|forwarded|x-real-ip|client[-_]?ip|(?<![a-z])ip(?![a-z])/i;

/**
 * Matches `ada@example.org`, also URL-encoded, but neither `react@19.3.1` nor `logo@2x.png`. Lengths are limited as in
 * mail addresses, and each word is tried once, so that a long text costs little.
 */
const mailAddress =
  /(?<![\w.+-])[\w.+-]{1,64}(?:@|%40)(?!v?\d+\.\d|\dx\.)[\w-]{1,63}(?:\.[\w-]{1,63}){0,5}\.[a-z]{2,24}\b/gi;

/** Patterns that are secrets in any context, also inside a message. */
const secretShapes: ReplacementRules = [
  [/\b(Bearer|Basic)\s+[\w+/=.~-]{8,}/gi, `$1 ${leftOut}`],
  [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, leftOut],
  [/(:\/\/[^\s:/@]*:)[^\s/@]+@/g, `$1${leftOut}@`],
  ...namedKeys.map((key) => [key, leftOut] as const),
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}-----|$)/g, leftOut],
];

export type ScrubRule = string | RegExp;

/** Removes secrets from reports: by the name of a key, or by the shape of a text. */
export interface Scrub {
  /** Returns a copy without secrets. Accepts and returns plain JSON. */
  value(value: unknown): unknown;
  text(text: string): string;
  /** Scrubs the application's details about its visitor, where a mail address is intended. */
  person<T>(person: T): T;
  isSecretName(name: string): boolean;
  /** Sets the application's routes. Values of secret parameters, `/reset/[token]`, are removed from every address. */
  learnRoutes(ids: readonly string[]): void;
}

export interface ScrubOptions {
  /** Additional names of the application. A text matches regardless of case. */
  rules?: readonly ScrubRule[];
  /** Whether IP and mail addresses may be sent. */
  keepAddresses?: boolean;
}

export function createScrub(options: ScrubOptions = {}): Scrub {
  const { names, shapes } = patternsOf(options);
  let all = shapes;
  const isSecretName = (name: string): boolean => names.some((pattern) => pattern.test(name));
  const clean = (from: string, rules: ReplacementRules): string => {
    // Most texts are short names and need no check. `pwd=abc` and `a@b.de` do.
    if (from.length < 8 && !/[=:>%@]/.test(from)) return from;
    let text = from;
    for (const [shape, instead] of rules) text = text.replace(shape, instead);
    return withoutCardNumbers(withoutNamed(text, isSecretName), leftOut);
  };
  const cleanValue = (from: unknown, rules: ReplacementRules): unknown => {
    if (typeof from === "string") return clean(from, rules);
    if (typeof from === "number") return Number.isInteger(from) && isCardNumber(String(from)) ? leftOut : from;
    if (typeof from !== "object" || from === null) return from;
    if (Array.isArray(from)) return from.map((one) => cleanValue(one, rules));
    const fields: [string, unknown][] = [];
    for (const [key, one] of Object.entries(from)) {
      if (typeof one === "string" && isSpanId(key, one)) fields.push([key, one]);
      else if (isSecretName(key) && one !== undefined && one !== null) fields.push([key, hidden(one)]);
      else fields.push([key, cleanValue(one, rules)]);
    }
    return Object.fromEntries(fields);
  };
  return {
    value: (from) => cleanValue(from, all),
    text: (from) => clean(from, all),
    person: (from) => cleanValue(from, secretShapes) as typeof from,
    isSecretName,
    learnRoutes: (ids) => {
      all = [...ids.flatMap((id) => secretPath(id, isSecretName)), ...shapes];
    },
  };
}

/** Returns the names whose values are secret, and the shapes of secrets. */
export function patternsOf({ rules = [], keepAddresses = false }: ScrubOptions): {
  names: RegExp[];
  shapes: ReplacementRules;
} {
  return {
    names: [...secretNames, ...(keepAddresses ? [] : [addressNames]), ...rules.map(expressionOf)],
    shapes: [...secretShapes, ...(keepAddresses ? [] : [[mailAddress, leftOut] as const])],
  };
}

/** Attributes of logs and spans carry the type beside the value; receivers refuse them without it. */
function hidden(value: unknown): unknown {
  const isAttribute = typeof value === "object" && value !== null && "value" in value && "type" in value;
  return isAttribute ? { value: leftOut, type: "string" } : leftOut;
}

/** Returns the expression for names that a rule is. */
export function expressionOf(rule: ScrubRule): RegExp {
  // Without the flags that make an expression stateful.
  if (typeof rule !== "string") return new RegExp(rule.source, rule.flags.replace(/[gy]/g, ""));
  return new RegExp(escaped(rule), "i");
}
