import { hasCode, messageOf } from "#errors";
import type { Language } from "#routes";
import type { RequestSignals } from "#signals";
import type { Checked } from "../../check-fields.ts";
import * as pageErrors from "../../errors.ts";
import { writeFieldName } from "../../field-names.ts";
import { pathOfIssue } from "../../standard-schema.ts";
import { readTagged, writeTagged } from "../../tagged-json.ts";
import type { SubmissionOutcome } from "../../view.ts";
import { storedText } from "../action/remembered.ts";
import { check, timeLimitOf } from "../action/run-action.ts";
import { AfterWork } from "../after-work.ts";
import { type Action, Invalid, invalid } from "../author/define.ts";
import { Outcome } from "../author/outcome.ts";
import { visitScope } from "../author/visit-scope.ts";
import { invalidations } from "../cache/invalidations.ts";
import { isA } from "../is-a.ts";
import type { LoadedRoute } from "../load-route.ts";
import { isAbort } from "../page-request.ts";
import { safeRedirect } from "../safe-redirect.ts";
import type { Site } from "../site.ts";
import { ParamsDoNotFit, readTypedParams } from "../typed-params.ts";
import { keepingContext } from "./keeping-context.ts";
import type { KeptState } from "./kept-store.ts";
import type { KeptSubmissions, StoredNote } from "./kept-submissions.ts";
import type { KeptContent } from "./sealed-submission.ts";

/** Why a kept submission does not run now. */
export type NotRunnable =
  | { kind: "unknown" }
  /** It is running, or over: done, forgotten, expired. */
  | { kind: "not-waiting"; state: KeptState }
  /** It may have been done already: the operator has to agree. */
  | { kind: "unsure" }
  | { kind: "other-key" }
  | { kind: "damaged" }
  /** This build has no such action, or it keeps nothing any more. */
  | { kind: "no-action"; route: string; action: string }
  | { kind: "invalid"; messages: readonly string[] };

/** What a dry run says. */
export type KeptCheck = NotRunnable | { kind: "ready"; isUnsure: boolean; route: string; action: string };

export type KeptRun =
  | NotRunnable
  | { kind: "done"; result: string | undefined; redirectedTo: string | undefined }
  | { kind: "failed"; digest: string; message: string };

export interface RunBy {
  /** The name of the operator. */
  by: string;
  /** Run it although it may have been done. */
  evenIfUnsure: boolean;
}

/** The operations of an application on what it has kept. */
export interface KeptRunner {
  /** Checks everything that a run needs, and runs nothing. */
  check(id: string): Promise<KeptCheck>;
  run(id: string, by: RunBy): Promise<KeptRun>;
  /** Removes it, with files that the application has stored for it. Returns false if it is not waiting. */
  forget(id: string, by: string): Promise<boolean>;
  /** Calls `onRecovered` for what has been done and not yet notified. */
  notify(): Promise<void>;
}

export function createKeptRunner(site: Site, kept: KeptSubmissions): KeptRunner {
  return {
    check: (id) => checkKept(site, kept, id),
    run: async (id, by) => {
      const run = await runKept(site, kept, id, by);
      if (run.kind === "done") await notifyRecovered(site, kept);
      return run;
    },
    forget: (id, by) => forgetKept(site, kept, id, by),
    notify: () => notifyRecovered(site, kept),
  };
}

interface Ready {
  kind: "ready";
  content: KeptContent;
  route: LoadedRoute;
  action: Action;
  state: "failed" | "unsure";
}

async function find(site: Site, kept: KeptSubmissions, id: string): Promise<NotRunnable | Ready> {
  const found = await kept.find(id);
  const row = found && (await kept.settle(found));
  if (!row) return { kind: "unknown" };
  const { state } = row;
  if (state !== "failed" && state !== "unsure") return { kind: "not-waiting", state };
  const opened = await kept.open(id);
  if (!opened) return { kind: "unknown" };
  if (opened.kind !== "open") return opened;
  const { content } = opened;
  const route = await site.application.ofAction(content.route, content.action);
  const action = route && (await site.application.findAction(route, content.action))?.action;
  if (!route || !action?.keeps) return { kind: "no-action", route: content.route, action: content.action };
  return { kind: "ready", content, route, action, state };
}

async function checkKept(site: Site, kept: KeptSubmissions, id: string): Promise<KeptCheck> {
  const found = await find(site, kept, id);
  if (found.kind !== "ready") return found;
  const { content, route, action, state } = found;
  const body = await bodyOf(kept, id, content);
  if (!body) return { kind: "damaged" };
  try {
    await paramsOf(route, content);
    const checked = await check(action, body, rowsOf(content));
    if (checked.kind === "invalid") return { kind: "invalid", messages: messagesOf(checked) };
    return { kind: "ready", isUnsure: state === "unsure", route: content.route, action: content.action };
  } catch (thrown) {
    if (isA(thrown, ParamsDoNotFit)) return refusedAddress(content);
    throw thrown;
  } finally {
    await body.dispose();
  }
}

async function runKept(site: Site, kept: KeptSubmissions, id: string, { by, evenIfUnsure }: RunBy): Promise<KeptRun> {
  const found = await find(site, kept, id);
  if (found.kind !== "ready") return found;
  const { content, action, state } = found;
  if (state === "unsure" && !evenIfUnsure) return { kind: "unsure" };
  if (!(await kept.claim(id, by, evenIfUnsure ? ["failed", "unsure"] : ["failed"]))) {
    const row = await kept.find(id);
    return row ? { kind: "not-waiting", state: row.state } : { kind: "unknown" };
  }
  const ms = timeLimitOf(action, site.limits);
  const stopRenewing = kept.hold(id, ms);
  const body = await bodyOf(kept, id, content);
  try {
    if (!body) {
      await kept.ended(id, "failed");
      return { kind: "damaged" };
    }
    const checked = await check(action, body, rowsOf(content));
    if (checked.kind === "invalid") {
      await kept.ended(id, "failed");
      return { kind: "invalid", messages: messagesOf(checked) };
    }
    return await callAction(site, kept, { id, ...found, input: checked.input, ms });
  } finally {
    stopRenewing();
    await body?.dispose();
  }
}

/** As the action expects them: those of a layout are texts, whatever the schema of the page makes of them. */
async function paramsOf(route: LoadedRoute, { action, params }: KeptContent): Promise<unknown> {
  return route.guardsBefore.has(action) ? params : readTypedParams(route, params);
}

interface Call extends Ready {
  id: string;
  input: unknown;
  ms: number;
}

/** Calls the handler as in the first run, in a request of its own without a visitor. */
function callAction(site: Site, kept: KeptSubmissions, call: Call): Promise<KeptRun> {
  const { content, route } = call;
  const target = `${content.path}/_action/${content.action}`;
  const facts = { method: "POST", target, header: () => undefined };
  return site.signals.request(facts, async (signals) => {
    signals.matched(route.pattern ?? content.route, content.params, "action");
    const run = await callIn(site, kept, call, signals);
    signals.ended({ status: run.kind === "done" ? 200 : 500, kind: "answered" });
    return run;
  });
}

async function callIn(site: Site, kept: KeptSubmissions, call: Call, signals: RequestSignals): Promise<KeptRun> {
  const { id, content, route, action, input, ms } = call;
  const { identity: stored } = content;
  const identity = stored === null ? undefined : readTagged(stored);
  const name = `${content.route} ${content.action}`;
  const record = (thrown: unknown): string | undefined => {
    const { params, path, search } = content;
    const what = { route: route.pattern ?? content.route, params, keptAction: content.action };
    const place = { side: "server", during: "action", ...what } as const;
    const url = path + search;
    const receipt = site.signals.errorCaught(thrown, { ...place, url, variant: "action", visitorSaw: "nothing" });
    return receipt.kind === "recorded" ? receipt.digest : undefined;
  };
  const after = new AfterWork({ site, route, request: content, signals, errors: { record } });
  const present = site.languages && { lang: content.lang, origin: content.origin };
  const scope = { runAfter: after.add.bind(after), openEvents: noEvents, invalidate: () => undefined, present };
  let hasReturned = false;
  const { inItsTime } = site.actions.begin({
    ms,
    tooLate: () => pageErrors.actionTimedOut(content.action, content.route, ms),
    interrupted: () => pageErrors.actionInterrupted(content.action, content.route),
    work: async (signal) => {
      const url = new URL(content.path + content.search, content.origin);
      // It was one of the application's languages when it arrived.
      const lang = content.lang as Language;
      const params = (await paramsOf(route, content)) as KeptContent["params"];
      const own = { params, url, lang, signal, input, key: content.key ?? undefined, invalid };
      // The action was written for the output of its schema.
      const context = keepingContext(own, identity, undefined) as never;
      try {
        const result = await visitScope.run(scope, () => signals.step("action", name, () => action.run(context)));
        hasReturned = true;
        const outcome = { kind: "done", result } as const;
        return { outcome, result: writeTagged(result, site.limits), redirectedTo: undefined };
      } catch (thrown) {
        if (isA(thrown, Outcome) && thrown.ends.kind === "redirect") {
          const to = safeRedirect(thrown.ends.to, content.origin, site.redirectOrigins);
          const outcome = to === undefined ? { kind: "done" as const, result: undefined } : redirectTo(to);
          return { outcome, result: undefined, redirectedTo: thrown.ends.to };
        }
        throw signal.aborted && isAbort(thrown) ? signal.reason : thrown;
      } finally {
        // Operators run few of them: everything may be out of date.
        invalidations.invalidate(undefined);
      }
    },
  });
  try {
    const { outcome, result, redirectedTo } = await inItsTime;
    await kept.recovered(id, noteOf(kept, call, result, (await kept.find(id))?.digest));
    await remember(site, content, outcome);
    after.beginAll();
    return { kind: "done", result, redirectedTo };
  } catch (thrown) {
    if (isA(thrown, ParamsDoNotFit)) {
      await kept.ended(id, "failed");
      return refusedAddress(content);
    }
    if (isA(thrown, Invalid) || isA(thrown, Outcome)) {
      await kept.ended(id, "failed");
      return { kind: "invalid", messages: isA(thrown, Invalid) ? Object.values(thrown.fields) : [thrown.ends.kind] };
    }
    // A handler that ignores its signal may still be running, and one that returned has done its work.
    const isTooLate = hasCode(thrown, "action-timed-out");
    const digest = record(thrown);
    await kept.ended(id, hasReturned || isTooLate ? "unsure" : "failed", { digest });
    after.beginAll();
    return { kind: "failed", digest: kept.nameOf({ id, digest }), message: messageOf(thrown) };
  }
}

/** The schema has changed since the submission arrived. */
function refusedAddress({ path }: KeptContent): NotRunnable {
  return { kind: "invalid", messages: [`The params schema of the page refuses ${path}`] };
}

function redirectTo(to: string): SubmissionOutcome {
  return { kind: "redirected", to };
}

/** From now on the visitor who sends the same once more gets the outcome, instead of the failure of the first run. */
async function remember(site: Site, { row, slot }: KeptContent, outcome: SubmissionOutcome): Promise<void> {
  if (row === null) return;
  const text = writeTagged(outcome, site.limits);
  const stored = storedText({ slot, outcome, text, ran: true, cookies: new Map() });
  await site.memory.recover(Buffer.from(row, "hex"), stored);
}

function noEvents(): never {
  throw new TypeError("There is no visitor who could receive events.");
}

function noteOf(
  kept: KeptSubmissions,
  { id, content, action }: Call,
  result: string | undefined,
  digest: string | undefined,
): StoredNote | undefined {
  if (!action.keeps?.onRecovered) return undefined;
  const { route, identity, key, at: keptAt } = content;
  const name = kept.nameOf({ id, digest });
  return { route, action: content.action, identity, result: result ?? null, keptAt, digest: name, key };
}

type RestoredBody = ({ kind: "json"; value: unknown } | { kind: "form"; form: FormData }) & {
  dispose(): Promise<void>;
};

async function bodyOf(kept: KeptSubmissions, id: string, { body }: KeptContent): Promise<RestoredBody | undefined> {
  if (body.kind === "json") return { kind: "json", value: body.value, dispose: async () => undefined };
  const restored = await kept.restoreForm(id, body);
  return restored && { kind: "form", ...restored };
}

/** A copy of an earlier version has none. */
function rowsOf({ body }: KeptContent): readonly string[] {
  return (body.kind === "form" && body.rows) || [];
}

function messagesOf({ issues }: Extract<Checked, { kind: "invalid" }>): string[] {
  return issues.map((issue) => [writeFieldName(pathOfIssue(issue)), issue.message].filter(Boolean).join(": "));
}

async function forgetKept(site: Site, kept: KeptSubmissions, id: string, by: string): Promise<boolean> {
  const opened = await kept.open(id);
  const content = opened?.kind === "open" ? opened.content : undefined;
  if (!(await kept.forget(id, by))) return false;
  const action = content && (await actionOf(site, content));
  const { uploads } = action ?? {};
  if (content?.body.kind === "form" && typeof uploads === "object")
    for (const one of content.body.stored) await uploads.discard(one);
  return true;
}

async function actionOf({ application }: Site, of: { route: string; action: string }): Promise<Action | undefined> {
  const route = await application.ofAction(of.route, of.action);
  return route && (await application.findAction(route, of.action))?.action;
}

/** Doubles with each attempt, to six hours: a mail server may be away over night. */
const firstPauseMs = 60_000;
const longestPauseMs = 21_600_000;

async function notifyRecovered(site: Site, kept: KeptSubmissions): Promise<void> {
  for (const { note, stored } of await kept.notes()) {
    const { id, tries } = stored;
    // Before the call, so that two processes do not both call it.
    await kept.notified(id, Date.now() + Math.min(firstPauseMs * 2 ** tries, longestPauseMs));
    const action = await actionOf(site, note);
    if (!action?.keeps?.onRecovered) continue;
    const { onRecovered } = action.keeps;
    const ms = site.limits.afterMs;
    try {
      const { inItsTime } = site.after.begin({
        ms,
        tooLate: () => pageErrors.afterTimedOut(note.route, ms),
        interrupted: () => pageErrors.afterInterrupted(note.route),
        work: () =>
          onRecovered({
            // What the action's own functions returned, of the types that they declare.
            identity: (note.identity === null ? undefined : readTagged(note.identity)) as never,
            result: (note.result === null ? undefined : readTagged(note.result)) as never,
            keptAt: new Date(note.keptAt),
            digest: note.digest,
            key: note.key ?? undefined,
          }),
      });
      await inItsTime;
      await kept.notified(id, undefined);
    } catch (thrown) {
      site.signals.errorCaught(thrown, { side: "server", during: "action", route: note.route, visitorSaw: "nothing" });
    }
  }
}
