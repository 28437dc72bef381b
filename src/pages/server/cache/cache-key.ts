import type { ChangedHeader } from "#http";
import type { BypassReason } from "#signals";
import type { HtmlAttributes } from "../../view.ts";
import { isOfDocument } from "../send/document-policy.ts";
import type { Visit } from "../visit.ts";
import type { CachePolicy } from "./policy.ts";

/** All that the page of a request may depend on. Everything else of the request is hidden from it. */
export interface SharedFacts {
  key: string;
  /** Begins with `?` or is empty. */
  search: string;
  cookies: readonly (readonly [name: string, value: string])[];
  /** Headers that a browser applies to the whole document, and the language, as the request hook chose them. */
  headers: readonly ChangedHeader[];
  html: HtmlAttributes | undefined;
}

/** Longer keys are those of attacks, or of pages whose search has no list of names. */
const keyLength = 4_096;

/** The facts for the page of a request, or the reason why it cannot be shared. */
export function sharedFacts(
  { route, request }: Pick<Visit, "route" | "request">,
  policy: CachePolicy,
): SharedFacts | BypassReason {
  if (route.guards.some((guard) => guard !== undefined)) return { kind: "guard" };
  const { chosen } = request;
  if (chosen?.status !== undefined && chosen.status !== 200) return { kind: "status", status: chosen.status };
  const search = policy.search ? chosenSearch(request.url.searchParams, policy.search) : request.search;
  const cookies = policy.cookies.length > 0 ? request.cookies.valuesOf(policy.cookies) : none;
  const headers = chosen ? [...chosen.headers.values()].filter(({ name }) => isOfDocument(name)) : none;
  const html = chosen?.html;
  const plain = `${route.index}\n${request.origin}\n${request.lang}\n${request.address}${search}`;
  const isPlain = cookies.length === 0 && headers.length === 0 && html === undefined;
  const key = isPlain ? plain : `${plain}\n${JSON.stringify([cookies, headers, html])}`;
  return key.length > keyLength ? { kind: "too-large" } : { key, search, cookies, headers, html };
}

const none: readonly never[] = [];

/** In the order of the names, so that two spellings of one search are one page. */
function chosenSearch(all: URLSearchParams, names: readonly string[]): string {
  const chosen = new URLSearchParams(names.flatMap((name) => all.getAll(name).map((value) => [name, value])));
  const text = chosen.toString();
  return text === "" ? "" : `?${text}`;
}
