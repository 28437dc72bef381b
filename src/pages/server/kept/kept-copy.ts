import * as pageErrors from "../../errors.ts";
import { writeTagged } from "../../tagged-json.ts";
import type { SubmissionOutcome } from "../../view.ts";
import type { Ended, RunOptions } from "../action/ended.ts";
import type { PostedSubmission } from "../action/submission.ts";
import type { Action, Locals } from "../author/define.ts";
import { nowhere } from "../load-route.ts";
import { contextOf, type Visit } from "../visit.ts";
import type { KeptOf, KeptRow } from "./kept-store.ts";
import type { KeptSubmissions } from "./kept-submissions.ts";
import type { KeptBody, KeptField } from "./sealed-submission.ts";

type Failed = Extract<SubmissionOutcome, { kind: "failed" }>;

interface Taken {
  locals: Locals;
  action: Action;
  submission: PostedSubmission;
}

/** The sealed copy of one submission while its action runs. Only actions with `keeps` have one. */
export class KeptCopy {
  readonly #visit: Visit;
  readonly #kept: KeptSubmissions;
  readonly #taken: Taken;
  readonly #key: string | undefined;
  readonly #row: Uint8Array | undefined;
  readonly #ms: number;
  readonly #id: string;
  #state: "none" | "kept" | "answered" | "failed" = "none";
  #stopRenewing: (() => void) | undefined;
  /** What `identity` of the action returned. */
  identity: unknown;

  private constructor(
    visit: Visit,
    kept: KeptSubmissions,
    taken: Taken,
    { key, row, ms }: RunOptions & { ms: number },
  ) {
    this.#visit = visit;
    this.#kept = kept;
    this.#taken = taken;
    this.#key = key;
    this.#row = row;
    this.#ms = ms;
    this.#id = kept.idOf(key);
  }

  static of(visit: Visit, taken: Taken, options: RunOptions & { ms: number }): KeptCopy | undefined {
    const { kept } = visit.site;
    return taken.action.keeps && kept ? new KeptCopy(visit, kept, taken, options) : undefined;
  }

  /** Writes the copy. Returns the outcome of a submission that must not run: it cannot be kept, or is kept already. */
  async seal(): Promise<Failed | undefined> {
    const { site, route, request, params, lang } = this.#visit;
    const { locals, action, submission } = this.#taken;
    // `identity` was written for the parameters of its own route.
    const who = await action.keeps?.identity?.(contextOf(this.#visit, locals) as never);
    this.identity = who;
    const content = {
      version: 1,
      route: route.id ?? nowhere,
      params,
      path: request.path,
      search: request.search,
      origin: request.origin,
      lang,
      action: submission.action,
      slot: submission.slot,
      key: this.#key ?? null,
      row: this.#row ? Buffer.from(this.#row).toString("hex") : null,
      at: Date.now(),
      build: site.application.parts.build,
      identity: who === undefined ? null : writeTagged(who, site.limits),
      body: bodyOf(submission),
    } as const;
    let added: Awaited<ReturnType<KeptSubmissions["keep"]>>;
    try {
      const files = submission.posted.kind === "form" ? submission.posted.files?.sealed : undefined;
      added = await this.#kept.keep(this.#id, content, files);
    } catch (error) {
      return this.#refused(pageErrors.keepingFailed(submission.action, content.route, String(error)));
    }
    if (added === "full") {
      site.posts.refusals.add("kept");
      return this.#refused(pageErrors.keptFull(submission.action, content.route));
    }
    if (added === "known") return this.#known();
    this.#state = "kept";
    this.#visit.keptAction = submission.action;
    this.#stopRenewing = this.#kept.hold(this.#id, this.#ms);
    return undefined;
  }

  /** The action threw. `hasReturned`: it had done its work, and only its result could not be sent. */
  async failed(outcome: SubmissionOutcome, hasReturned: boolean): Promise<SubmissionOutcome> {
    if (this.#state === "none" || outcome.kind !== "failed" || outcome.status < 500) return outcome;
    const { posted } = this.#taken.submission;
    this.#state = "failed";
    const isNoted = await this.#note(hasReturned ? "unsure" : "failed", outcome.digest);
    // They are needed when it is run again.
    if (posted.kind === "form") posted.files?.keep();
    return this.#says(outcome, isNoted);
  }

  /** Its time is up, and the visitor gets an answer; the action may still end. */
  async late(outcome: SubmissionOutcome): Promise<SubmissionOutcome> {
    if (this.#state === "none" || outcome.kind !== "failed") return outcome;
    let isNoted = true;
    if (this.#state === "kept") {
      this.#state = "answered";
      isNoted = await this.#note("running", outcome.digest);
    }
    return this.#says(outcome, isNoted);
  }

  /**
   * The copy of one that has succeeded is no longer needed, once the memory of submissions has the outcome. Without
   * that its row says that it is done, so that no other attempt runs.
   */
  async settled({ outcome }: Ended, isRemembered: boolean): Promise<void> {
    this.#stopRenewing?.();
    if (this.#state === "none" || this.#state === "failed") return;
    const isDone = outcome.kind === "done" || outcome.kind === "redirected";
    try {
      const mayRepeat = isDone && !isRemembered && this.#key !== undefined;
      if (this.#state === "kept" && isDone && isRemembered) this.#kept.remembered(this.#id);
      else if (this.#state === "kept" && !mayRepeat) await this.#kept.done(this.#id);
      else if (!isDone) await this.#kept.ended(this.#id, "failed", { of: this.#of });
      else await this.#kept.recovered(this.#id, undefined, this.#of);
    } catch (error) {
      // The copy stays. It is dropped later if the memory knows the outcome; if not, it may have been done.
      this.#visit.site.warn?.(`A kept submission could not be removed: ${error}`);
    }
  }

  get #of(): KeptOf {
    return { route: this.#visit.route.id ?? nowhere, action: this.#taken.submission.action };
  }

  async #note(state: "failed" | "unsure" | "running", digest: string | undefined): Promise<boolean> {
    try {
      return await this.#kept.ended(this.#id, state, { digest, of: this.#of });
    } catch (error) {
      // The copy itself is on disk. Without its row it counts as one whose process died.
      this.#visit.site.warn?.(`The failure of a kept submission could not be noted: ${error}`);
      return false;
    }
  }

  /** A digest that could not be noted would find nothing. Its own code always does. */
  #says(outcome: Failed, isNoted: boolean): Failed {
    const row = { id: this.#id, digest: isNoted ? outcome.digest : undefined };
    return { ...outcome, ...keptOutcome(this.#visit, row), status: outcome.status };
  }

  /** Another attempt of it is kept, or was. */
  async #known(): Promise<Failed> {
    const row = await this.#kept.find(this.#id);
    return keptOutcome(this.#visit, row ?? { id: this.#id, digest: undefined });
  }

  #refused(error: Error): Failed {
    const digest = this.#visit.errors.record(error, "action", { visitorSaw: "form-error" });
    const message = this.#visit.texts.cannotKeep;
    return { kind: "failed", status: 503, ...(digest !== undefined && { digest }), message };
  }
}

/** What the visitor reads of a kept submission. */
export function keptOutcome(
  { site, texts }: Pick<Visit, "site" | "texts">,
  row: Pick<KeptRow, "id" | "digest"> & Partial<Pick<KeptRow, "state">>,
): Failed {
  const digest = (site.kept as KeptSubmissions).nameOf(row);
  const text = row.state === "done" ? texts.keptDone : texts.keptUnder;
  return { kind: "failed", status: 503, digest, kept: true, message: text.replace("{digest}", digest) };
}

/** The outcome of a submission whose process died, if it is kept. */
export async function keptOutcomeOf(visit: Visit, contextKey: string): Promise<Failed | undefined> {
  const { kept } = visit.site;
  const row = await kept?.find(kept.idOf(contextKey));
  const settled = row && (await kept?.settle(row));
  return settled && keptOutcome(visit, settled);
}

function bodyOf({ posted, rows }: Pick<PostedSubmission, "posted" | "rows">): KeptBody {
  if (posted.kind === "json") return { kind: "json", value: posted.value };
  const { sealed, stored = [] } = posted.files ?? {};
  const fields = [...posted.form].map(([name, value]): KeptField => {
    if (typeof value === "string") return [name, value];
    const part = sealed?.partOf(value);
    // An action with `keeps` gets no other files.
    if (!part) throw new TypeError(`The file of the field ${name} is not sealed.`);
    return [name, { name: value.name, type: value.type, ...part }];
  });
  const fileKey = sealed ? Buffer.from(sealed.key).toString("base64") : null;
  return { kind: "form", fields, ...(rows.length > 0 && { rows }), stored: [...stored], fileKey };
}
