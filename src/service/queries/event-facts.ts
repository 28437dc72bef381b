import type { JsonObject, ReportedEvent } from "#protocol";
import { deviceOf } from "./device.ts";

/** Something that explains an event to a person, in words. */
export type EventFact = readonly [name: string, text: string];

/**
 * Facts that are scattered over the contexts of an event: what its visitor saw, how they came to the page, which builds
 * met, and on which device. Only what was reported: a fact that was not measured is absent.
 */
export function eventFacts(event: ReportedEvent): readonly EventFact[] {
  const { holdfast = {}, submission = {} } = event.contexts;
  const all: readonly (readonly [string, string | undefined])[] = [
    ["visitor saw", worded(seen, holdfast.visitor_saw)],
    [
      "what was sent",
      submission.kept === true ? `is kept, and can be run again: ${actionText(submission)}` : undefined,
    ],
    ["navigation", worded(navigations, holdfast.navigation)],
    ["prefetch", prefetchText(holdfast.prefetch)],
    ...buildFacts(textOf(holdfast.page_build), textOf(holdfast.server_build)),
    ["device", deviceOf(event)],
    ["connection", holdfast.online === false ? "offline when it happened" : undefined],
  ];
  return all.flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const]));
}

function actionText({ route, action }: JsonObject): string {
  return [textOf(route), textOf(action)].filter(Boolean).join(" ");
}

const seen: ReadonlyMap<string, string> = new Map([
  ["error-page", "the error page"],
  ["nested-error", "an error in place of a part of the page"],
  ["form-error", "an error beside the form"],
  ["last-resort", "the plain page of last resort"],
  ["page", "the page, as if nothing had happened"],
  ["data-error", "an error in place of late data"],
  ["nothing", "nothing of it"],
]);

const navigations: ReadonlyMap<string, string> = new Map([
  ["push", "to a new page (push)"],
  ["replace", "in place of the page before (replace)"],
  ["traverse", "back or forward (traverse)"],
  ["reload", "the same page again (reload)"],
  ["submit", "by a form (submit)"],
]);

/** A newer client may have other words: they are shown as they are. */
function worded(words: ReadonlyMap<string, string>, value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : (words.get(text) ?? text);
}

function prefetchText(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("state" in value)) return undefined;
  const state = textOf(value.state);
  const ageMs = "age_ms" in value && typeof value.age_ms === "number" ? value.age_ms : undefined;
  if (state === undefined) return undefined;
  return ageMs === undefined ? state : `${state}, ${(ageMs / 1_000).toFixed(1)} s old`;
}

/** Two different builds are the cause of many errors after a deployment. */
function buildFacts(
  page: string | undefined,
  server: string | undefined,
): readonly (readonly [string, string | undefined])[] {
  if (page !== undefined && page === server) return [["build", `${page}, page and server`]];
  const other = page !== undefined && server !== undefined ? ", another than the server's" : "";
  return [
    ["page build", page === undefined ? undefined : page + other],
    ["server build", server],
  ];
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
