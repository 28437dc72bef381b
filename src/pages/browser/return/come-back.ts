import {
  type ActionGone,
  attemptField,
  cancelField,
  keyField,
  outcomeSuffix,
  reportedField,
  visitorField,
} from "../../page-data.ts";
import { askAboutBroken, rememberBroken } from "./broken-pages.ts";
import { type ReturnNotice, type ReturnText, showReturnNotice } from "./return-notice.ts";
import type { ReturnDeps } from "./return-page.ts";
import { returnLimits, returnStore, type UnsentSubmission } from "./return-store.ts";
import { formOf, lockOf } from "./unsent-submissions.ts";

/**
 * Continues what an earlier visit of this browser has left. With the digest of an error on screen, it only remembers
 * that for the next one.
 */
export function comeBack(deps: ReturnDeps, digest?: string): void {
  if (digest !== undefined) return void rememberBroken(digest, deps);
  void askAboutBroken(deps);
  for (const { key } of returnStore.read().unsent)
    void alone(key, async () => {
      // Another tab may have been quicker.
      const one = returnStore.find(key);
      if (one) await continueSubmission(one, deps);
    });
}

/** Of several tabs one continues a submission. Without locks several may: the server runs it once all the same. */
async function alone(key: string, run: () => Promise<void>): Promise<void> {
  // They exist in secure contexts only.
  if (!navigator.locks) return run();
  await navigator.locks.request(lockOf(key), { ifAvailable: true }, (lock) => (lock ? run() : undefined));
}

/** What is known of a submission of an earlier visit. */
type Known =
  | { kind: "ended"; end: End }
  /** The server has not received it, or cannot say so. */
  | { kind: "not-received" | "unknown" }
  | { kind: "running" | "unreachable" }
  | { kind: "other-visitor" }
  /** The application no longer has the page or its action. */
  | { kind: "gone"; isUnknown: boolean; digest: string | undefined };

interface End {
  kind: string;
  /** Whether the action was called. A redirect without it may lead to a sign-in. */
  ran: boolean;
  status?: number | undefined;
  why?: string | undefined;
  /** What the server says, for a submission that it has kept. */
  message?: string | undefined;
  isKept: boolean;
}

async function continueSubmission(one: UnsentSubmission, deps: ReturnDeps): Promise<void> {
  const maySend = !one.isPartial && one.until > Date.now();
  for (;;) {
    // A question that cancels makes sure that what is still under way does not run after the visitor has sent it again.
    const known = await ask(one, !maySend);
    switch (known.kind) {
      case "running":
        await pause(returnLimits.pollMs);
        continue;
      case "unreachable":
        await pause(returnLimits.retryMs);
        continue;
      case "ended":
        return showEnd(one, known.end, deps);
      case "gone":
        return showGone(one, known);
      case "other-visitor":
        return show(one, ["returnOther"]);
      default:
        if (maySend) return sendAgain(one, deps);
        return show(
          one,
          [known.kind === "unknown" ? "returnMaybe" : "returnNotReceived", ...(one.isPartial ? partly : [])],
          { buttons: [opening(one, deps)] },
        );
    }
  }
}

const partly = ["returnEnterAgain"] as const;

async function sendAgain(one: UnsentSubmission, deps: ReturnDeps): Promise<void> {
  const page = await deps.page();
  const { visitor = "", until } = one;
  const sent = page.recover(one, formOf(one), { actions: [], visitor, hours: until });
  const outcome = await sent.promise;
  if (outcome.kind === "discarded") return returnStore.drop(one.key);
  const end = readEnd(outcome, sent.text === "" ? undefined : JSON.parse(sent.text).ran);
  showEnd(one, end, deps);
}

function showEnd(one: UnsentSubmission, { kind, ran, status, why, message, isKept }: End, deps: ReturnDeps): void {
  if (kind === "done" || (kind === "redirected" && ran)) {
    returnStore.drop(one.key);
    showReturnNotice({ at: one.pressedAt, texts: ["returnReceived"], buttons: [["close", nothing]] });
  } else if (isKept) {
    returnStore.drop(one.key);
    showReturnNotice({ at: one.pressedAt, texts: ["returnReceived"], message, buttons: [["close", nothing]] });
  } else if (status === 404) showGone(one, { isUnknown: false, digest: undefined });
  else if (why === "other-visitor") show(one, ["returnOther"]);
  else if (why === "unknown") show(one, ["returnMaybe"], { buttons: [opening(one, deps)] });
  else show(one, ["returnNotTaken"], { buttons: [opening(one, deps)] });
}

/** There is no form to open: the visitor gets the text, and a code by which the operator finds the event. */
function showGone(
  one: UnsentSubmission,
  { isUnknown, digest = one.digest }: Pick<Extract<Known, { kind: "gone" }>, "isUnknown" | "digest">,
): void {
  // The next visit asks once more, because an earlier build may be back, and reports nothing.
  if (digest !== undefined) returnStore.put({ ...one, digest });
  const received = isUnknown ? "returnMaybe" : "returnNotReceived";
  const typed = typedIn(one);
  show(one, [received, "returnGone", ...(digest === undefined ? [] : (["returnCode"] as const))], {
    digest,
    typed,
  });
}

/** What the visitor typed; for what a script has sent, all of it. */
function typedIn({ draft, fields }: UnsentSubmission): string {
  const values = draft.length > 0 ? draft.map(([, , value]) => value) : fields.map(([, value]) => value);
  return values.filter((value) => typeof value === "string" && value !== "").join("\n\n");
}

type Buttons = ReturnNotice["buttons"];

/** It stays stored until the visitor decides, or is too old for another visit. */
function show(
  one: UnsentSubmission,
  texts: readonly ReturnText[],
  { buttons = [], ...more }: Partial<Pick<ReturnNotice, "buttons" | "typed" | "digest">> = {},
): void {
  const discard = (): void => returnStore.drop(one.key);
  if (returnStore.isExpired(one)) discard();
  showReturnNotice({ at: one.pressedAt, texts, ...more, buttons: [...buttons, ["discard", discard]] });
}

function opening(one: UnsentSubmission, { page, navigate }: ReturnDeps): Buttons[number] {
  const open = async (): Promise<void> => {
    const { url, drafts } = await page();
    drafts.adopt({ name: one.name, nth: one.nth, fields: one.draft });
    returnStore.drop(one.key);
    if (url !== one.page) navigate(one.page);
  };
  return ["openForm", () => void open()];
}

/** Asks the server what became of it. No action runs. */
async function ask(one: UnsentSubmission, cancel: boolean): Promise<Known> {
  const { address, key, attempt, visitor, digest } = one;
  const url = new URL(address);
  url.pathname += outcomeSuffix;
  const body = new URLSearchParams({ [keyField]: key, [attemptField]: `${attempt}` });
  if (visitor !== undefined) body.set(visitorField, visitor);
  if (cancel) body.set(cancelField, "1");
  if (digest !== undefined) body.set(reportedField, "1");
  try {
    const signal = AbortSignal.timeout(returnLimits.queryMs);
    const response = await fetch(url, { method: "POST", body, signal });
    if (response.status >= 500) return { kind: "unreachable" };
    if (response.status === 404) return { kind: "gone", isUnknown: true, digest: undefined };
    const { state, outcome, ran, gone } = await response.json();
    if (state === "ended") return { kind: "ended", end: readEnd(outcome, ran) };
    if (state === "running" || state === "other-visitor") return { kind: state };
    const isUnknown = state !== "not-seen" || returnStore.isForgotten(one);
    if (gone) return { kind: "gone", isUnknown, digest: readGone(gone).digest };
    return { kind: isUnknown ? "unknown" : "not-received" };
  } catch {
    return { kind: "unreachable" };
  }
}

function readGone(gone: unknown): ActionGone {
  const { digest } = gone as Partial<Record<string, unknown>>;
  return typeof digest === "string" ? { digest } : {};
}

function readEnd(outcome: unknown, ran: unknown): End {
  const { kind, status, why, message, kept } = (outcome ?? {}) as Partial<Record<string, unknown>>;
  return {
    kind: String(kind),
    ran: ran === true,
    status: typeof status === "number" ? status : undefined,
    why: typeof why === "string" ? why : undefined,
    message: typeof message === "string" ? message : undefined,
    isKept: kept === true,
  };
}

/** Until the connection is back, at most this long. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
    addEventListener("online", () => resolve(), { once: true });
  });
}

function nothing(): void {
  // Closing is all.
}
