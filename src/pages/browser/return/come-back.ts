import { attemptField, cancelField, keyField, outcomeSuffix, visitorField } from "../../page-data.ts";
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
  /** The application has no such page any more. */
  | { kind: "gone" };

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
        return show(one, ["returnGone"], [copying(one)]);
      case "other-visitor":
        return show(one, ["returnOther"]);
      default:
        if (maySend) return sendAgain(one, deps);
        return show(
          one,
          [known.kind === "unknown" ? "returnMaybe" : "returnNotReceived", ...(one.isPartial ? partly : [])],
          [opening(one, deps)],
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
  } else if (status === 404) show(one, ["returnGone"], [copying(one)]);
  else if (why === "other-visitor") show(one, ["returnOther"]);
  else if (why === "unknown") show(one, ["returnMaybe"], [opening(one, deps)]);
  else show(one, ["returnNotTaken"], [opening(one, deps)]);
}

type Buttons = ReturnNotice["buttons"];

/** It stays stored until the visitor decides. */
function show(one: UnsentSubmission, texts: readonly ReturnText[], buttons: Buttons = []): void {
  const discard = (): void => returnStore.drop(one.key);
  showReturnNotice({ at: one.pressedAt, texts, buttons: [...buttons, ["discard", discard]] });
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

function copying(one: UnsentSubmission): Buttons[number] {
  const text = one.draft.map(([, , value]) => value).filter((value) => typeof value === "string");
  return ["copyTyped", () => void navigator.clipboard?.writeText(text.join("\n\n"))];
}

/** Asks the server what became of it. No action runs. */
async function ask({ address, key, attempt, visitor }: UnsentSubmission, cancel: boolean): Promise<Known> {
  const url = new URL(address);
  url.pathname += outcomeSuffix;
  const body = new URLSearchParams({ [keyField]: key, [attemptField]: `${attempt}` });
  if (visitor !== undefined) body.set(visitorField, visitor);
  if (cancel) body.set(cancelField, "1");
  try {
    const signal = AbortSignal.timeout(returnLimits.queryMs);
    const response = await fetch(url, { method: "POST", body, signal });
    if (response.status >= 500) return { kind: "unreachable" };
    if (response.status === 404) return { kind: "gone" };
    const { state, outcome, ran } = await response.json();
    if (state === "ended") return { kind: "ended", end: readEnd(outcome, ran) };
    if (state === "running" || state === "other-visitor") return { kind: state };
    return { kind: state === "not-seen" ? "not-received" : "unknown" };
  } catch {
    return { kind: "unreachable" };
  }
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
