/** What stands where something was taken out, so that a reader knows that there was something. */
export const leftOut = "[left-out]";

/** Names whose values are nobody's business, in any spelling: `accessToken`, `x-api-key`, `card_number`. */
const secretNames: readonly RegExp[] = [
  /pass(?:word|wd|phrase|code)|(?<![a-z])pwd(?![a-z])/i,
  /secret|credential|token|jwt|bearer|nonce|otp(?![a-z])/i,
  /(?:api|access|private|secret|signing|encryption|session|auth)[-_]?(?:key|id)(?![a-z])/i,
  /authori[sz]ation|(?<![a-z])auth(?![a-z])|cookie|csrf|xsrf/i,
  /(?:card|account)[-_]?(?:number|no)(?![a-z])|(?<![a-z])(?:cvv|cvc|pin|ssn|iban)(?![a-z])/i,
];

/** Where clients' addresses stand. */
const addressNames = /ip[-_]?addr(?:ess)?|remote[-_]?addr(?:ess)?|forwarded|x-real-ip|client[-_]?ip/i;

/** Shapes that are secrets wherever they stand, also in the middle of a message. */
const secretShapes: readonly [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[\w+/=.~-]{8,}/gi, `$1 ${leftOut}`],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, leftOut],
  [/(:\/\/[^\s:/@]*:)[^\s/@]+@/g, `$1${leftOut}@`],
  [/\b(?:sk|pk|rk|ghp|gho|ghs|xox[abp])[-_][\w-]{16,}/g, leftOut],
];

/** `password=hunter2`, `"apiKey": "…"`, `?token=…`: the name is looked at, the value goes. */
const named = /([\w-]{2,64})(["']?\s*[=:]\s*["']?)((?:Bearer |Basic )?[^\s"'&;,}]{1,512})/g;

/** 13 to 19 digits, in groups or not; only those whose check digit is right are cards. */
const manyDigits = /\b\d(?:[ -]?\d){12,18}\b/g;

export type ScrubRule = string | RegExp;

/** Takes secrets out of everything that leaves: by the name of a key, by the shape of a text. */
export interface Scrub {
  /** A copy without secrets. Plain JSON in, plain JSON out. */
  value(value: unknown): unknown;
  text(text: string): string;
  isSecretName(name: string): boolean;
}

export interface ScrubOptions {
  /** Further names of the application's own. A text is looked for without regard to case, an expression is tried. */
  rules?: readonly ScrubRule[];
  /** Whether clients' addresses may leave. */
  keepAddresses?: boolean;
}

export function createScrub({ rules = [], keepAddresses = false }: ScrubOptions = {}): Scrub {
  const names = [...secretNames, ...(keepAddresses ? [] : [addressNames]), ...rules.map(ruleOf)];
  const isSecretName = (name: string): boolean => names.some((pattern) => pattern.test(name));
  const text = (from: string): string => {
    // Most texts are short names; they are looked at no further.
    if (from.length < 8) return from;
    let clean = from;
    for (const [shape, instead] of secretShapes) clean = clean.replace(shape, instead);
    clean = clean.replace(named, (whole, name: string, between: string) =>
      isSecretName(name) ? `${name}${between}${leftOut}` : whole,
    );
    return clean.replace(manyDigits, (digits) => (isCard(digits) ? leftOut : digits));
  };
  const value = (from: unknown): unknown => {
    if (typeof from === "string") return text(from);
    if (typeof from !== "object" || from === null) return from;
    if (Array.isArray(from)) return from.map(value);
    const clean: [string, unknown][] = [];
    for (const [key, one] of Object.entries(from))
      clean.push([key, isSecretName(key) && one !== undefined && one !== null ? leftOut : value(one)]);
    return Object.fromEntries(clean);
  };
  return { value, text, isSecretName };
}

function ruleOf(rule: ScrubRule): RegExp {
  // Without the flags that make an expression remember where it was.
  if (typeof rule !== "string") return new RegExp(rule.source, rule.flags.replace(/[gy]/g, ""));
  return new RegExp(rule.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
}

/** Luhn's check digit. */
function isCard(text: string): boolean {
  const digits = text.replace(/\D/g, "");
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at]);
    sum += at % 2 === 0 ? digit : digit * 2 > 9 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
}
