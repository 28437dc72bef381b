import type { AnswerLine, Preamble } from "../../page-data.ts";
import type { BrowserRoute } from "../../parts.ts";
import { fromTagged, mayHoldTags } from "../../tagged-json.ts";
import type { View } from "../../view.ts";
import type { LateReceiver } from "./late-promises.ts";

/** A page as the server sent it, ready to be shown once its code has loaded. */
export interface PageAnswer {
  kind: "page";
  view: View;
  preamble: Preamble;
  /** The response line as it arrived: two equal texts show the same page. */
  text: string;
  /** When its request was sent, on the clock that counts sleep. */
  sentAt: number;
  /**
   * The `Freshness` clock of its request: later changes are not included. Undefined for the first page of a document.
   */
  asOf?: number;
  route: string;
  status: number;
  /** See `AnswerLine`. */
  policy?: string | undefined;
  plain: boolean;
  /** See `AnswerLine`. */
  depends?: readonly string[] | undefined;
  /** What `shown-loads.ts` knows about its data; undefined until it is asked. */
  loads?: readonly (ShownLoad | undefined)[] | undefined;
}

/** The data of one load of a page, as long as the server need not be asked for it again. */
export interface ShownLoad {
  key: string;
  /** Tags of the load, and the path of the page. */
  depends: readonly string[];
  /** The `Freshness` clock up to which it is current, if it is more current than its page. */
  asOf: number;
  /** When it was requested, if that was before its page. */
  sentAt?: number | undefined;
}

export type DataAnswer = PageAnswer | { kind: "redirect"; to: string };

/** The fields of routes that reading a response needs. */
export type KnownRoutes = readonly Pick<BrowserRoute, "id" | "folders">[];

/** Reads the preamble, which is untrusted input. Returns `undefined` for anything else. */
export function readPreamble(value: unknown): Preamble | undefined {
  const { build, route, fresh, expires, tag } = fieldsOf(value);
  return typeof build === "string" &&
    typeof fresh === "number" &&
    typeof expires === "number" &&
    (tag === undefined || typeof tag === "string")
    ? { build, route: typeof route === "string" ? route : null, fresh, expires, ...(tag !== undefined && { tag }) }
    : undefined;
}

/** Reads the response line. Returns `undefined` if it is malformed or names a route that this build does not know. */
export function readDataAnswer(
  text: string,
  preamble: Preamble,
  routes: KnownRoutes,
  late: LateReceiver,
): DataAnswer | undefined {
  const value: unknown = JSON.parse(text);
  const { kind, status, to } = fieldsOf(value);
  if (kind === "redirect") return typeof to === "string" ? { kind, to } : undefined;
  if (typeof status !== "number" || !isShown(value)) return undefined;
  const view = toView(mayHoldTags(text) ? withoutTags(value, late) : value, preamble, routes);
  return (
    view && {
      kind: "page",
      view,
      preamble,
      text,
      // For a page in its document, the time of reading. A request overwrites it with the time it was sent.
      sentAt: performance.now(),
      route: preamble.route ?? "",
      status,
      policy: value.policy,
      plain: view.kind === "page",
      depends: value.depends,
    }
  );
}

/** Reads the page data inside the document. */
export function readHydration(
  text: string,
  routes: KnownRoutes,
  late: LateReceiver,
): { page: PageAnswer; back: string | undefined; at: string | undefined } | undefined {
  const [first = "", answer = "", back, at] = text.split("\n");
  const preamble = readPreamble(JSON.parse(first));
  const page = preamble && readDataAnswer(answer, preamble, routes, late);
  return page?.kind === "page" ? { page, back, at } : undefined;
}

type Shown = Exclude<AnswerLine, { kind: "redirect" }>;

function isShown(value: unknown): value is Shown {
  const { kind, data, params } = fieldsOf(value);
  return (
    (kind === "page" || kind === "not-found" || kind === "error") &&
    Array.isArray(data) &&
    typeof params === "object" &&
    params !== null
  );
}

function withoutTags(answer: Shown, late: LateReceiver): Shown {
  const promises = (id: number): Promise<unknown> => late.promise(id);
  const data = answer.data.map((value) => fromTagged(value, promises));
  if (answer.form === undefined) return { ...answer, data };
  return { ...answer, data, form: fromTagged(answer.form, promises) as Exclude<typeof answer.form, undefined> };
}

function toView(answer: Shown, preamble: Preamble, routes: KnownRoutes): View | undefined {
  const route = routes.findIndex(({ id }) => id === preamble.route);
  if (route < 0 && (preamble.route !== null || answer.kind === "page")) return undefined;
  const ownFolders = routes[route]?.folders ?? [];
  if (answer.kind === "page") return { ...answer, route, folders: ownFolders };
  const shown = { route, folders: answer.folders ?? ownFolders };
  return answer.kind === "error" ? { ...answer, ...shown, side: "server" } : { ...answer, ...shown };
}

function fieldsOf(value: unknown): Partial<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? value : {};
}

export function withoutHash(url: string): string {
  return url.split("#", 1)[0] ?? url;
}
