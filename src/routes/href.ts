import { linkErrors } from "./errors.ts";
import { writeSegment } from "./path-segment.ts";
import type { AfterTarget, LinkText, LinkTo } from "./typed-routes.ts";

export type SearchValue = string | number | boolean | null | undefined;

/** `undefined` and `null` leave a key out; a list writes it several times. */
export type SearchInput = URLSearchParams | Readonly<Record<string, SearchValue | readonly SearchValue[]>>;

export type ParamInput = Readonly<Record<string, string | number>>;

/** The address of a route: its id with the parameters filled in, in the one canonical spelling. */
export function href(id: string, params: ParamInput = {}, search?: SearchInput): string {
  const pieces = id.split("/").map((piece) => {
    const [, rest, name] = /^\[(\.\.\.)?(.+)\]$/.exec(piece) ?? [];
    if (!name) return writeSegment(piece);
    const value = Object.hasOwn(params, name) ? String(params[name]) : "";
    const texts = rest ? value.split("/") : [value];
    return texts.map((text) => writeValue(id, name, text)).join("/");
  });
  return pieces.join("/") + writeSearch(search);
}

/** The same for applications: the compiler knows their pages and which parameters each has. */
export const typedHref: <const To extends LinkText>(
  to: To & LinkTo<To>,
  ...rest: AfterTarget<To, [search?: SearchInput]>
) => string = href;

function writeValue(id: string, name: string, text: string): string {
  if (text === "") throw linkErrors.missingParameter(id, name);
  if (text === "." || text === "..") throw linkErrors.dotParameter(id, name, text);
  return writeSegment(text);
}

function writeSearch(search: SearchInput | undefined): string {
  if (!search) return "";
  const pairs = search instanceof URLSearchParams ? search : new URLSearchParams(listPairs(search));
  const text = pairs.toString();
  return text && `?${text}`;
}

function listPairs(search: Exclude<SearchInput, URLSearchParams>): string[][] {
  return Object.entries(search).flatMap(([key, value]) =>
    (Array.isArray(value) ? value : [value]).filter((one) => one != null).map((one) => [key, String(one)]),
  );
}
