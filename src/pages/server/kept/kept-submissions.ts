import { createHmac, hkdfSync, randomBytes } from "node:crypto";
import type { ServerSignals } from "#signals";
import * as pageErrors from "../../errors.ts";
import type { SubmissionMemory } from "../action/submission-memory.ts";
import type { SealedFiles } from "../body/sealed-files.ts";
import { seal, unseal } from "../visitor/sealed.ts";
import type { KeptChange, KeptNote, KeptOf, KeptRow, KeptState, KeptStore } from "./kept-store.ts";
import { Removals } from "./removals.ts";
import { type KeptContent, restoreForm, sealSubmission, type Unsealed, unsealSubmission } from "./sealed-submission.ts";

export interface KeptSubmissionsDeps {
  store: KeptStore;
  /** The first one seals, every one opens. */
  keys: readonly [Uint8Array, ...Uint8Array[]];
  memory: Pick<SubmissionMemory, "hasDone" | "sync">;
  signals: Pick<ServerSignals, "errorCaught">;
  digestOf: (id: string) => string;
  /** How often a running submission says that its process is alive. */
  renewMs?: number;
}

/** What `onRecovered` gets, as it is stored. */
export interface StoredNote {
  route: string;
  action: string;
  identity: string | null;
  /** As tagged JSON; null after a redirect. */
  result: string | null;
  keptAt: number;
  digest: string;
  key: string | null;
}

type FormBody = Extract<KeptContent["body"], { kind: "form" }>;

export interface RestoredForm {
  form: FormData;
  /** Its files cannot be read after that. */
  dispose(): Promise<void>;
}

/** A third of the time after which the store takes a process for dead. */
const usualRenewMs = 10_000;

/**
 * Submissions of actions with `keeps`, sealed on disk. A copy exists while its action runs, and after it has failed
 * until an operator has run or forgotten it. Each is run at most once at a time, by one process of the machine.
 */
export class KeptSubmissions {
  readonly #store: KeptStore;
  readonly #keys: KeptSubmissionsDeps["keys"];
  readonly #memory: KeptSubmissionsDeps["memory"];
  readonly #signals: KeptSubmissionsDeps["signals"];
  readonly #digestOf: KeptSubmissionsDeps["digestOf"];
  readonly #renewMs: number;
  readonly #nameKey: Uint8Array;
  readonly #noteKeys: readonly Uint8Array[];
  readonly #removals: Removals;

  constructor({ store, keys, memory, signals, digestOf, renewMs = usualRenewMs }: KeptSubmissionsDeps) {
    this.#store = store;
    this.#keys = keys;
    this.#memory = memory;
    this.#signals = signals;
    this.#digestOf = digestOf;
    this.#renewMs = renewMs;
    this.#nameKey = derived(keys[0], "name of a kept submission 1");
    this.#noteKeys = keys.map((key) => derived(key, "note of a kept submission 1"));
    this.#removals = new Removals({ sync: () => memory.sync(), remove: (id) => this.done(id) });
  }

  /** The same for every attempt of a submission, so that no attempt is kept or run beside another. */
  idOf(contextKey: string | undefined): string {
    if (contextKey === undefined) return randomBytes(16).toString("hex");
    return createHmac("sha256", this.#nameKey).update(contextKey).digest("hex").slice(0, 32);
  }

  /** The code for people: the digest of its failure, or else its own. */
  nameOf({ id, digest }: Pick<KeptRow, "id" | "digest">): string {
    return digest ?? this.#digestOf(id);
  }

  keep(id: string, content: KeptContent, files: SealedFiles | undefined): Promise<"added" | "known" | "full"> {
    const rest = sealSubmission(id, content, this.#keys[0]);
    return this.#store.add(id, { files: files && { path: files.path, size: files.size }, rest });
  }

  /** Says regularly that it is running here, for at most `ms`. Returns a function that stops it. */
  hold(id: string, ms: number): () => void {
    const until = performance.now() + ms;
    const timer = setInterval(() => {
      if (performance.now() >= until) clearInterval(timer);
      else void this.#store.renew(id).catch(() => undefined);
    }, this.#renewMs).unref();
    return () => clearInterval(timer);
  }

  async find(id: string): Promise<KeptRow | undefined> {
    return this.#store.find(id);
  }

  async list(): Promise<readonly KeptRow[]> {
    return this.#store.list();
  }

  /** Undefined without content. */
  async open(id: string): Promise<Unsealed | undefined> {
    const handle = await this.#store.open(id);
    try {
      return handle && (await unsealSubmission(id, handle, this.#keys));
    } finally {
      await handle?.close();
    }
  }

  /** Undefined if its files are damaged, or if it has been removed. */
  async restoreForm(id: string, body: FormBody): Promise<RestoredForm | undefined> {
    const handle = await this.#store.open(id);
    const form = handle && (await restoreForm(handle, body));
    if (form) return { form, dispose: () => handle.close() };
    await handle?.close();
    return undefined;
  }

  /** The first run has succeeded, and the memory of submissions has its outcome: the copy is removed soon. */
  remembered(id: string): void {
    this.#removals.add(id);
  }

  /** Removes the copies of all that is done. */
  flush(): Promise<void> {
    return this.#removals.flush();
  }

  /** The first run has ended without a failure that the visitor has seen. */
  async done(id: string): Promise<void> {
    // It has a row if its process was taken for dead meanwhile.
    if (await this.#store.hasRow(id)) await this.recovered(id, undefined);
    else await this.#store.drop(id);
  }

  /** Returns whether this process may run it now. */
  async claim(id: string, by: string, from: readonly KeptState[]): Promise<boolean> {
    await this.#store.renew(id);
    return this.#store.change({ id, from, to: "running", by });
  }

  /** A run has not succeeded. */
  async ended(
    id: string,
    to: "failed" | "unsure" | "running",
    facts: Pick<KeptChange, "digest" | "of"> = {},
  ): Promise<boolean> {
    return this.#store.change({ id, from: ["running", "unsure"], to, ...facts });
  }

  /** A later run has succeeded, or a first one after its visitor has read that it is kept. */
  async recovered(id: string, note: StoredNote | undefined, of?: KeptOf): Promise<boolean> {
    const sealed = note && seal(JSON.stringify(note), this.#noteKeys[0] as Uint8Array, Buffer.from(id, "hex"));
    const isChanged = await this.#store.change({ id, from: ["running", "unsure"], to: "done", note: sealed, of });
    if (isChanged) await this.#store.drop(id);
    return isChanged;
  }

  async forget(id: string, by: string): Promise<boolean> {
    const isChanged = await this.#store.change({ id, from: ["failed", "unsure"], to: "forgotten", by });
    if (isChanged) await this.#store.drop(id);
    return isChanged;
  }

  /** Notes that are due, with those that no key opens left out. */
  async notes(): Promise<readonly { note: StoredNote; stored: KeptNote }[]> {
    return (await this.#store.notes()).flatMap((stored) => {
      for (const key of this.#noteKeys) {
        const text = unseal(stored.note, key, Buffer.from(stored.id, "hex"));
        // Sealed by this code, so its shape is certain.
        if (text !== undefined) return [{ note: JSON.parse(text) as StoredNote, stored }];
      }
      return [];
    });
  }

  async notified(id: string, again: number | undefined): Promise<void> {
    await this.#store.notified(id, again);
  }

  /**
   * Settles a submission whose process died. One that the memory knows as done is dropped; each other one becomes an
   * event, so that operators learn of it. Returns the row as it is then.
   */
  async settle(row: KeptRow): Promise<KeptRow | undefined> {
    if (row.state !== "unsure") return row;
    const { id, changedAt: since } = row;
    if (row.digest !== undefined) {
      // A row that still says `running` could neither be run nor forgotten.
      await this.#store.change({ id, from: ["running"], to: "unsure", since });
      return this.find(id);
    }
    const opened = await this.open(id);
    if (opened?.kind === "open") {
      const { row: memoryRow, action, route, params, path, search } = opened.content;
      if (memoryRow !== null && (await this.#memory.hasDone(Buffer.from(memoryRow, "hex")))) {
        await this.#memory.sync();
        await this.#store.drop(id);
        return undefined;
      }
      const receipt = this.#signals.errorCaught(pageErrors.actionDied(action, route), {
        side: "server",
        during: "action",
        route,
        params,
        url: path + search,
        variant: "action",
        visitorSaw: "form-error",
        keptAction: action,
        // Several processes may find it at once; an event is counted once.
        eventId: id,
      });
      if (receipt.kind === "recorded") await receipt.durable;
      const digest = receipt.kind === "recorded" ? receipt.digest : this.#digestOf(id);
      await this.#store.change({ id, from: ["running", "unsure"], to: "unsure", digest, since, of: { route, action } });
    }
    return this.find(id);
  }

  /** Looks after all of them; called now and then. */
  async settleAll(): Promise<void> {
    for (const row of await this.list()) await this.settle(row);
  }
}

function derived(key: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", key, "", purpose, 32));
}
