import { isObject } from "#protocol";
import { compileAddress } from "./addresses.ts";
import { compileGlob } from "./glob.ts";
import { type AgentBrowser, browserNames, browserOfAgent, isRobot } from "./user-agent.ts";

export const filterKinds = ["message", "release", "environment", "browser", "address", "crawler"] as const;

export type FilterKind = (typeof filterKinds)[number];

/** Reports that a project does not want. */
export interface InboundFilter {
  readonly id: string;
  readonly kind: FilterKind;
  /**
   * Of messages, releases and environments a text with `*`; of browsers a name with a bound, `Chrome < 80`; an address
   * or network; nothing for crawlers.
   */
  readonly pattern: string;
  readonly createdAt: number;
}

export interface FilterLimits {
  /** Each event is compared with all of them. */
  readonly perProject: number;
  readonly patternLength: number;
  /** So much of a message is compared, as much as the console shows of a title. */
  readonly comparedChars: number;
}

export const filterLimits: FilterLimits = { perProject: 50, patternLength: 200, comparedChars: 1_000 };

/** What filters compare. */
export interface FilteredFacts {
  /** The message, and each exception as `TypeError: x is undefined`. */
  readonly messages: readonly string[];
  readonly release: string | undefined;
  readonly environment: string | undefined;
  readonly browser: AgentBrowser | undefined;
  readonly agents: readonly string[];
  readonly addresses: readonly string[];
}

type Matcher = (facts: FilteredFacts) => boolean;

interface CompiledFilter {
  readonly filter: InboundFilter;
  readonly matches: Matcher;
}

/** A list is compiled once: the projects make a new one for each change. */
const compiled = new WeakMap<readonly InboundFilter[], readonly CompiledFilter[]>();

/** Returns the first filter that does not want something. Its kind decides about which items it is asked. */
export function filterThatMatches(filters: readonly InboundFilter[], facts: FilteredFacts): InboundFilter | undefined {
  let list = compiled.get(filters);
  if (list === undefined) {
    list = filters.flatMap((filter) => {
      const matches = compileFilter(filter);
      return matches === undefined ? [] : [{ filter, matches }];
    });
    compiled.set(filters, list);
  }
  return list.find(({ matches }) => matches(facts))?.filter;
}

/** Returns what is wrong with a filter that a person typed in. */
export function problemOfFilter({ kind, pattern }: Pick<InboundFilter, "kind" | "pattern">): string | undefined {
  if (pattern.length > filterLimits.patternLength) return `At most ${filterLimits.patternLength} characters.`;
  if (kind === "crawler") return undefined;
  if (pattern.replaceAll("*", "").trim() === "") return "It would drop everything. Write what it should match.";
  if (compileFilter({ kind, pattern }) !== undefined) return undefined;
  return kind === "browser"
    ? `Write one of ${browserNames.join(", ")}, alone or with a version: Chrome < 80.`
    : "Write an address or a network: 203.0.113.7, 10.0.0.0/8 or 2001:db8::/32.";
}

export function isInboundFilter(value: unknown): value is InboundFilter {
  if (!isObject(value)) return false;
  const { id, kind, pattern, createdAt } = value;
  return (
    typeof id === "string" &&
    filterKinds.some((one) => one === kind) &&
    typeof pattern === "string" &&
    typeof createdAt === "number"
  );
}

function compileFilter({ kind, pattern }: Pick<InboundFilter, "kind" | "pattern">): Matcher | undefined {
  switch (kind) {
    case "message": {
      const matches = compileGlob(pattern);
      return ({ messages }) => messages.some((message) => matches(message.slice(0, filterLimits.comparedChars)));
    }
    case "release":
    case "environment": {
      const matches = compileGlob(pattern);
      return (facts) => matches(facts[kind] ?? "");
    }
    case "browser":
      return compileBrowser(pattern);
    case "address": {
      const matches = compileAddress(pattern);
      return matches && (({ addresses }) => addresses.some(matches));
    }
    case "crawler":
      return ({ agents }) => agents.some(isRobot);
  }
}

const bounds: Readonly<Record<string, (version: number, bound: number) => boolean>> = {
  "<": (version, bound) => version < bound,
  "<=": (version, bound) => version <= bound,
  "=": (version, bound) => version === bound,
  ">": (version, bound) => version > bound,
  ">=": (version, bound) => version >= bound,
};

function compileBrowser(pattern: string): Matcher | undefined {
  const [, name = "", sign = ">=", bound = "0"] =
    /^([a-z ]+?)\s*(?:(<=?|>=?|=)\s*(\d{1,5}))?$/i.exec(pattern.trim()) ?? [];
  const known = browserNames.find((one) => one.toLowerCase() === name.toLowerCase());
  const holds = bounds[sign];
  if (known === undefined || holds === undefined) return undefined;
  return ({ browser }) => browser !== undefined && isNamed(browser, known) && holds(browser.version, Number(bound));
}

/** Clients name a browser with its platform too: `Chrome Mobile`, `Mobile Safari`. */
function isNamed(browser: AgentBrowser, name: string): boolean {
  return browser.name.toLowerCase().split(" ").includes(name.toLowerCase()) || browser.name === name;
}

/** Reads what filters compare from the payload of an event or transaction. */
export function filterFactsOf(
  payload: unknown,
  client: { agent: string | undefined; address: string | undefined },
): FilteredFacts {
  const event = isObject(payload) ? payload : {};
  const { contexts, request, user } = event;
  const headers = isObject(request) ? request.headers : undefined;
  const agents = [agentIn(headers), client.agent].filter((agent) => agent !== undefined);
  const browser = isObject(contexts) && isObject(contexts.browser) ? contexts.browser : {};
  const ip = isObject(user) ? textOf(user.ip_address) : undefined;
  return {
    messages: messagesIn(event),
    release: textOf(event.release),
    environment: textOf(event.environment),
    browser: namedBrowser(browser) ?? agents.map(browserOfAgent).find((one) => one !== undefined),
    agents,
    addresses: [ip, client.address].filter((address) => address !== undefined),
  };
}

/** Clients send headers as an object, or as a list of pairs. */
function agentIn(headers: unknown): string | undefined {
  const pairs = Array.isArray(headers) ? headers : isObject(headers) ? Object.entries(headers) : [];
  for (const pair of pairs)
    if (Array.isArray(pair) && typeof pair[0] === "string" && pair[0].toLowerCase() === "user-agent")
      return textOf(pair[1]);
  return undefined;
}

function namedBrowser({ name, version }: Readonly<Record<string, unknown>>): AgentBrowser | undefined {
  const number = Number.parseInt(String(version), 10);
  return typeof name === "string" && Number.isFinite(number) ? { name, version: number } : undefined;
}

function messagesIn({ message, logentry, exception }: Readonly<Record<string, unknown>>): string[] {
  const entry = isObject(logentry) ? logentry : {};
  const values = isObject(exception) ? exception.values : exception;
  const exceptions = (Array.isArray(values) ? values : []).filter(isObject);
  const texts = [
    isObject(message) ? message.formatted : message,
    entry.formatted ?? entry.message,
    ...exceptions.map(({ type, value }) => [type, value].filter((part) => typeof part === "string").join(": ")),
  ];
  return texts.flatMap((text) => (typeof text === "string" && text !== "" ? [text] : []));
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
