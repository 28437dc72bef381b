import {
  type Breadcrumb,
  type EventMessage,
  type Frame,
  isCardNumber,
  isSpanId,
  type JsonObject,
  namedKeys,
  type ReportedAttachment,
  type ReportedEvent,
  type ReportedException,
  type ReportedFeedback,
  type ReportedRequest,
  type ReportedSpan,
  type ReportedTransaction,
  type ReportedUser,
  withoutCardNumbers,
} from "#protocol";
import { ownCopyOf } from "../own-copy.ts";

/**
 * Rules for the removal of secrets before anything is stored. Other clients send cookies, headers and bodies by
 * default. Values are judged by their name, and texts by a few unmistakable patterns.
 */
export interface ScrubRules {
  /** Additional names whose values are removed. Part of a name is enough. */
  alsoSecret: readonly string[];
  /** Whether addresses of visitors may be stored. */
  keepAddresses: boolean;
}

export const scrubRules: ScrubRules = { alsoSecret: [], keepAddresses: false };

export const scrubbed = "[scrubbed]";

const secretNames =
  /pass(?:word|wd|phrase)?$|^pwd$|secret|credential|authorization|^auth$|api[-_.]?key|access[-_.]?key|private[-_.]?key|token|cookie|session[-_.]?id$|^sid$|csrf|xsrf|card[-_.]?number|^cvv$|^cvc$|^iban$|^ssn$/i;

/** Names of a visitor's address in headers and variables: `REMOTE_ADDR`, `HTTP_X_FORWARDED_FOR`, `client.address`. */
const addressNames =
  /^(?:.+[-_.])?(?:x[-_]forwarded[-_]for|x[-_]real[-_]ip|(?:cf[-_]connecting|true[-_]client|fastly[-_]client)[-_]ip|forwarded|remote[-_.]?(?:addr(?:ess)?|ip)|client[-_.]?(?:ip|addr(?:ess)?)|ip[-_]?addr(?:ess)?)$|^ip$/i;

/**
 * A text without any of these contains no secret. Words are found by their end and in any case: a search regardless of
 * case would take half as long again.
 */
const mayHoldSecrets =
  /:\/\/|=|["']\s?:|eyJ|-----BEGIN|[rR] (?<=[eE][aA][rR][eE][rR] )|[cC] (?<=[aA][sS][iI][cC] )|[eEnN]:(?<=(?:[oO][oO][kK][iI][eE]|[zZsS][aA][tT][iI][oO][nN]):)/;
/** Digits like a card's, or a word as long as a key. A separate pattern, because short texts have neither. */
const mayHoldNumbers = /[2-6](?:[ .-]?\d){12}|[-_.][\w-]{16}|A[KS]IA|AIza/;
const shortestNumber = 13;
/**
 * For each character of ASCII, how long the rest of a text from it on must be for a secret: each of the patterns above
 * has one of them, or thirteen digits. `Bearer` is followed by eight characters, a key or a token by more than sixteen.
 */
const secretRests = new Uint8Array(128);
for (const sign of ":=") secretRests[sign.charCodeAt(0)] = 1;
for (const sign of " ") secretRests[sign.charCodeAt(0)] = 9;
for (const sign of "-_.AJ") secretRests[sign.charCodeAt(0)] = 17;
const credentials = /(\w:\/\/)[^\s/@:]*:[^\s/@]+@/g;
/** Matches only at the start of a word: otherwise a long run of `eyJ` would be scanned again from each. */
const signedToken = /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g;
const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*-----|$)/g;
const authScheme = /\b(bearer|basic) [\w.~+/=-]{8,}/gi;
/** A header extends to the end of its line: `Cookie: theme=dark; id=7`. */
const headerLine = /\b((?:set-)?cookie|(?:proxy-)?authori[sz]ation)(:\s?)([^\s"'[{][^\r\n"]*)/gi;
/**
 * `password=x` in a URL, a cookie, a command or a sentence. Matches only at the start of a word: otherwise a long word
 * would be scanned again from each of its letters.
 */
const assigned = /(?<![\w.[\]-])([\w.[\]-]{1,100})=([^&\s#"';=>][^&\s#"';]*)/g;
/** `"password": "x"`, in JSON or a printed dictionary. */
const written = /(["'])([\w.-]{1,100})\1(\s?:\s?)(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[\w.+-]+)/g;

type TextPattern = "credentials" | "signedToken" | "privateKey" | "authScheme" | "headerLine" | "assigned" | "written";

/** The patterns of texts. `assigned` and `written` hold for secret names. */
export const textPatterns: Readonly<Record<TextPattern, RegExp>> = {
  credentials,
  signedToken,
  privateKey,
  authScheme,
  headerLine,
  assigned,
  written,
};

/** Fields of an event that are one string or number and are stored unchanged. */
const plainFields: ReadonlySet<string> = new Set(
  "event_id timestamp start_timestamp level platform logger transaction culprit server_name release dist environment message type".split(
    " ",
  ),
);

/** The same fields of a parsed event. */
const plainTexts = [
  "logger",
  "transaction",
  "culprit",
  "serverName",
  "release",
  "dist",
  "environment",
] as const satisfies readonly (keyof ReportedEvent)[];

const addressesOfCode = ["filename", "absPath"] as const satisfies readonly (keyof Frame)[];

/** Fields of a frame, besides its variables. */
const codeFields: ReadonlySet<string> = new Set(
  "filename abs_path function raw_function module lineno colno in_app context_line pre_context post_context debug_id platform".split(
    " ",
  ),
);

/** The smallest number with 13 digits. */
const leastCard = 1e12;

const mostVerdicts = 10_000;
const longestCachedName = 100;

/** Deeper values are not useful to readers. */
const deepest = 12;

/** Removes secrets by one set of rules. Results for names are cached, because every event has the same names. */
export class Scrubber {
  readonly #rules: ScrubRules;
  readonly #verdicts = new Map<string, boolean>();

  constructor(rules: ScrubRules = scrubRules) {
    this.#rules = rules;
  }

  event(event: ReportedEvent): ReportedEvent {
    return {
      ...this.#with(event, plainTexts),
      ...(event.message ? { message: this.#message(event.message) } : {}),
      ...(event.fingerprint ? { fingerprint: mapped(event.fingerprint, (part) => this.text(part)) } : {}),
      ...(event.user ? { user: this.#user(event.user) } : {}),
      ...(event.request ? { request: this.#request(event.request) } : {}),
      ...(event.frames ? { frames: this.#frames(event.frames) } : {}),
      exceptions: mapped(event.exceptions, (exception) => this.#exception(exception)),
      tags: this.named(event.tags),
      breadcrumbs: mapped(event.breadcrumbs, (crumb) => this.#breadcrumb(crumb)),
      contexts: Object.fromEntries(
        Object.entries(event.contexts).map(([name, context]) => [name, this.named(context)]),
      ),
      extra: this.named(event.extra),
      debugImages: mapped(event.debugImages, (image) => this.#with(image, ["codeFile"])),
    };
  }

  /** Returns the object with clean texts and the given clean fields. The same object if nothing changed. */
  #with<T extends object>(object: T, texts: readonly (keyof T)[], others: Partial<T> = {}): T {
    const changed: Partial<T> = {};
    for (const name of texts) {
      const text = object[name];
      const clean = typeof text === "string" ? this.text(text) : text;
      // A string stays a string.
      if (clean !== text) changed[name] = clean as T[keyof T];
    }
    for (const name in others) if (others[name] !== object[name]) changed[name] = others[name];
    return Object.keys(changed).length === 0 ? object : { ...object, ...changed };
  }

  /**
   * Whether an event or transaction may be stored as sent: nothing would be removed from the parts that are read, and
   * the others are clean too. An unusual shape returns false, and the event is parsed, scrubbed and rewritten.
   */
  findsNothingIn(event: JsonObject): boolean {
    // `for in`, here and below: parsed JSON has only own names, and creating lists of them would cost more than the
    // check.
    for (const name in event) {
      const value = event[name];
      if (typeof value === "object" && value !== null) {
        if (!this.#findsNothingUnder(name, value as JsonObject | readonly unknown[])) return false;
      } else if (!plainFields.has(name) || (typeof value === "string" && this.text(value) !== value)) return false;
    }
    return true;
  }

  #findsNothingUnder(name: string, value: JsonObject | readonly unknown[]): boolean {
    switch (name) {
      case "exception":
      case "stacktrace":
        return this.#stacksAreClean(value);
      case "breadcrumbs":
      case "logentry":
      case "sdk":
      case "debug_meta":
      case "fingerprint":
      case "spans":
      case "measurements":
      case "transaction_info":
        return this.value(value) === value;
      case "user":
        return !hasAddress(value) && this.value(value) === value;
      // A list of pairs has its names among its values.
      case "tags":
      case "contexts":
      case "extra":
      case "modules":
        return !Array.isArray(value) && this.value(value) === value;
      case "request":
        return this.#requestIsClean(value as JsonObject);
      default:
        return false;
    }
  }

  #requestIsClean(request: JsonObject): boolean {
    const { headers, query_string: query } = request;
    if (Array.isArray(headers) || Array.isArray(query)) return false;
    if (typeof query === "string" && this.#query(query) !== query) return false;
    return this.value(request) === request;
  }

  /** Checks exceptions or a stack: everything except the usual fields of frames, which are code. */
  #stacksAreClean(value: unknown, depth = 0): boolean {
    if (typeof value !== "object" || value === null) return this.value(value) === value;
    // No client nests this deep, and the call stack is finite.
    if (depth > deepest) return false;
    if (Array.isArray(value)) return value.every((entry) => this.#stacksAreClean(entry, depth + 1));
    for (const name in value) {
      const entry = (value as JsonObject)[name];
      if (name === "frames" && Array.isArray(entry)) {
        if (!entry.every((frame) => this.#frameIsClean(frame))) return false;
      } else if (name === "values" || name === "stacktrace" || name === "raw_stacktrace") {
        if (!this.#stacksAreClean(entry, depth + 1)) return false;
      } else if (this.isSecret(name) || this.value(entry) !== entry) return false;
    }
    return true;
  }

  #frameIsClean(frame: unknown): boolean {
    if (typeof frame !== "object" || frame === null) return false;
    for (const name in frame) {
      const value = (frame as JsonObject)[name];
      if (codeFields.has(name) && isCode(value) && !(typeof value === "string" && mayHoldQuery(name, value))) continue;
      if (this.isSecret(name) || this.value(value) !== value) return false;
    }
    return true;
  }

  span(span: ReportedSpan): ReportedSpan {
    return { ...span, name: this.text(span.name), attributes: this.named(span.attributes) };
  }

  transaction(transaction: ReportedTransaction): ReportedTransaction {
    return {
      ...transaction,
      name: this.text(transaction.name),
      segment: this.span(transaction.segment),
      spans: transaction.spans.map((span) => this.span(span)),
    };
  }

  /** Contact details are given on purpose and kept. The message may contain anything. */
  feedback(feedback: ReportedFeedback): ReportedFeedback {
    return this.#with(feedback, ["message", "name", "url"]);
  }

  /** Scrubs a text file. A binary one, such as a picture, is unchanged. */
  file(file: ReportedAttachment): ReportedAttachment {
    const text = textIn(file.bytes);
    const clean = text === undefined ? undefined : this.text(text);
    return this.#with(file, ["filename"], clean === text ? {} : { bytes: Buffer.from(clean ?? "") });
  }

  /** Returns the same value if there was nothing to remove. */
  value(value: unknown, depth = 0): unknown {
    if (typeof value === "string") return this.text(value);
    if (typeof value === "number") return value >= leastCard && isCardNumber(String(value)) ? scrubbed : value;
    if (typeof value !== "object" || value === null) return value;
    // A deeper secret would be missed, so nothing of it is kept.
    if (depth > deepest) return scrubbed;
    if (Array.isArray(value)) return this.#list(value, depth);
    return this.named(value as JsonObject, depth + 1);
  }

  /** A list may be a pair of name and value. */
  #list(list: readonly unknown[], depth: number): readonly unknown[] {
    const name = list[0];
    if (list.length === 2 && typeof name === "string" && this.isSecret(name))
      return list[1] === scrubbed ? list : [name, scrubbed];
    return mapped(list, (entry) => this.value(entry, depth + 1));
  }

  text(text: string): string {
    // Most texts are names and ids, for which this costs a third of two patterns.
    if (!hasSigns(text)) return text;
    // Nearly every other text: one check costs a third of five.
    const mayHoldNumber = text.length >= shortestNumber && mayHoldNumbers.test(text);
    if (!mayHoldNumber && !mayHoldSecrets.test(text)) return text;
    let result = text;
    if (text.includes("://")) result = result.replace(credentials, `$1${scrubbed}@`);
    if (text.includes("=")) {
      result = result.replace(assigned, (whole, name: string) => (this.isSecret(name) ? `${name}=${scrubbed}` : whole));
    }
    if (text.includes('"') || text.includes("'")) {
      result = result.replace(written, (whole, quote: string, name: string, colon: string) =>
        this.isSecret(name) ? `${quote}${name}${quote}${colon}${quote}${scrubbed}${quote}` : whole,
      );
    }
    if (text.includes("eyJ")) result = result.replace(signedToken, scrubbed);
    if (text.includes("-----BEGIN")) result = result.replace(privateKey, scrubbed);
    // Looking for the words first would take longer.
    result = result.replace(authScheme, `$1 ${scrubbed}`);
    if (text.includes(":")) result = result.replace(headerLine, `$1$2${scrubbed}`);
    if (!mayHoldNumber) return result;
    for (const key of namedKeys) result = result.replace(key, scrubbed);
    return withoutCardNumbers(result, scrubbed);
  }

  isSecret(name: string): boolean {
    const known = this.#verdicts.get(name);
    if (known !== undefined) return known;
    const lower = name.toLowerCase();
    const verdict =
      secretNames.test(name) ||
      (!this.#rules.keepAddresses && addressNames.test(name)) ||
      this.#rules.alsoSecret.some((part) => lower.includes(part.toLowerCase()));
    // An attacker can make up names. A few thousand short ones are more than any application has.
    if (this.#verdicts.size < mostVerdicts && name.length <= longestCachedName)
      this.#verdicts.set(ownCopyOf(name), verdict);
    return verdict;
  }

  /** Replaces the values under secret names. Returns the same object if there were none. */
  named<T extends Readonly<Record<string, unknown>>>(object: T, depth = 0): T {
    let changed: Map<string, unknown> | undefined;
    for (const name in object) {
      const value: unknown = object[name];
      const clean = value !== null && this.isSecret(name) ? scrubbed : this.value(value, depth);
      if (clean !== value && !(typeof value === "string" && isSpanId(name, value))) {
        changed ??= new Map(Object.entries(object));
        changed.set(name, clean);
      }
    }
    // Same names, and values of the same type or the placeholder.
    return changed === undefined ? object : (Object.fromEntries(changed) as T);
  }

  #user(user: ReportedUser): ReportedUser {
    const { ipAddress, data, ...rest } = user;
    return {
      ...this.#with(rest, ["username", "name"]),
      ...(data ? { data: this.named(data) } : {}),
      ...(ipAddress !== undefined && this.#rules.keepAddresses ? { ipAddress } : {}),
    };
  }

  #request(request: ReportedRequest): ReportedRequest {
    const { cookies, url, queryString, data, env, ...rest } = request;
    return {
      ...rest,
      headers: this.named(request.headers),
      ...(url === undefined ? {} : { url: this.text(url) }),
      ...(queryString === undefined ? {} : { queryString: this.#query(queryString) }),
      ...(data === undefined ? {} : { data: this.value(data) }),
      ...(cookies === undefined ? {} : { cookies: scrubbed }),
      ...(env ? { env: this.named(env) } : {}),
    };
  }

  /** Scrubs a query without its question mark. */
  #query(text: string): string {
    return this.text(`://?${text}`).slice(4);
  }

  #message(message: EventMessage): EventMessage {
    const params = message.params && mapped(message.params, (param) => this.text(param));
    return this.#with(message, ["text", "template"], params && { params });
  }

  #exception(exception: ReportedException): ReportedException {
    const { mechanism } = exception;
    const data = mechanism?.data && this.named(mechanism.data);
    return this.#with(exception, ["type", "value", "module"], {
      frames: this.#frames(exception.frames),
      ...(mechanism && data && { mechanism: this.#with(mechanism, [], { data }) }),
    });
  }

  #frames(frames: readonly Frame[]): readonly Frame[] {
    return mapped(frames, (frame) =>
      this.#with(frame, addressesOfCode, frame.vars && { vars: this.named(frame.vars) }),
    );
  }

  #breadcrumb(crumb: Breadcrumb): Breadcrumb {
    return this.#with(crumb, ["message"], crumb.data && { data: this.named(crumb.data) });
  }
}

/** Whether a text has a character with which a secret begins, and enough after it. */
function hasSigns(text: string): boolean {
  let digits = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 0x30 && code <= 0x39) {
      digits += 1;
      if (digits === shortestNumber) return true;
    } else if (code < 128) {
      const rest = secretRests[code] ?? 0;
      if (rest > 0 && text.length - at >= rest) return true;
    }
  }
  return false;
}

function textIn(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** A script's name is a URL, which may have a query. */
function mayHoldQuery(name: string, value: string): boolean {
  return (name === "abs_path" || name === "filename") && value.includes("=");
}

/** Whether a value is one string or number, or a list of lines. */
function isCode(value: unknown): boolean {
  if (!Array.isArray(value)) return typeof value !== "object" || value === null;
  return value.every((line) => typeof line === "string");
}

function hasAddress(user: JsonObject | readonly unknown[]): boolean {
  return "ip_address" in user && user.ip_address !== null;
}

/**
 * Returns the same list if no entry changed: nearly all events have nothing to remove, and thousands arrive at once.
 */
function mapped<T>(list: readonly T[], change: (entry: T) => T): readonly T[] {
  let changed: T[] | undefined;
  // `entries` would make a pair for each, as would a destructured entry.
  for (let index = 0; index < list.length; index += 1) {
    const entry = list[index] as T;
    const after = change(entry);
    if (after === entry) continue;
    changed ??= [...list];
    changed[index] = after;
  }
  return changed ?? list;
}
