import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Pool } from "../stores/postgres/connect/connections.ts";
import type { Hosts } from "../stores/postgres/connect/hosts.ts";

/** Messages between all processes of an application, by the database. */
export interface Notices {
  /** Resolves with false if the database is away. Never rejects. */
  send(channel: string, text: string): Promise<boolean>;
  listen(receiver: NoticeReceiver): void;
  close(): Promise<void>;
}

export interface NoticeReceiver {
  message(channel: string, text: string): void;
  /** Messages may have been missed. */
  gap(): void;
}

export interface NoticeDeps {
  /** The name of the application: several may share a database. */
  readonly application: string;
  readonly warn: (sentence: string) => void;
}

export interface NoticeParts extends NoticeDeps {
  readonly pool: Pick<Pool, "run">;
  readonly hosts: Pick<Hosts, "connect" | "distrust" | "close">;
  /** How long a notice to itself may take, and how often one is sent. */
  readonly probeMs: number;
}

/** PostgreSQL refuses payloads of 8,000 bytes. The rest is for the head of a part. */
const partCharacters = 7_000;

/** One name for all applications: names of PostgreSQL are short, and those of applications may be long. */
const heardAs = "holdfast_live";

/** From the same transaction, so in their order and with nothing of the same sender between them. */
const sendParts = `SELECT pg_notify('${heardAs}', part) FROM unnest($1::text[]) WITH ORDINALITY AS parts (part, at) ORDER BY at`;

const deliversNothing =
  "Messages of channels do not arrive from other processes: the database delivers no notices. A pooler in transaction mode does that; let the store's address lead to the database itself.";

interface Head {
  application: string;
  from: string;
  channel: string;
  part: number;
  parts: number;
}

/** `LISTEN` and `NOTIFY` of PostgreSQL. A message that is longer than a payload travels in parts. */
export class PostgresNotices implements Notices {
  readonly #parts: NoticeParts;
  readonly #self = randomUUID();
  /** What has arrived of messages in parts, by sender. */
  readonly #begun = new Map<string, string>();
  #heardProbe = Promise.withResolvers<void>();
  readonly #stop = new AbortController();
  readonly #end = Promise.withResolvers<void>();
  #isClosed = false;
  #listening: Promise<void> | undefined;

  constructor(parts: NoticeParts) {
    this.#parts = parts;
  }

  async send(channel: string, text: string): Promise<boolean> {
    const { pool, application } = this.#parts;
    const plain = inAscii(text);
    const count = Math.max(1, Math.ceil(plain.length / partCharacters));
    const parts = Array.from({ length: count }, (_, part) => {
      const head: Head = { application, from: this.#self, channel, part, parts: count };
      return `${inAscii(JSON.stringify(head))}\n${plain.slice(part * partCharacters, (part + 1) * partCharacters)}`;
    });
    try {
      await pool.run(sendParts, parts);
      return true;
    } catch {
      return false;
    }
  }

  listen(receiver: NoticeReceiver): void {
    this.#listening ??= this.#keepListening(receiver);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#parts.hosts.close();
    this.#end.resolve();
    this.#stop.abort();
    await this.#listening;
  }

  /** `connect` waits between its attempts. */
  async #keepListening(receiver: NoticeReceiver): Promise<void> {
    let wasHeard = false;
    while (!this.#isClosed) {
      try {
        const { client } = await this.#parts.hosts.connect("writing");
        const lost = Promise.withResolvers<void>();
        client.on("error", () => lost.resolve());
        client.on("end", () => lost.resolve());
        client.on("notification", ({ payload }) => this.#hear(payload ?? "", receiver));
        await client.query(`LISTEN ${heardAs}`, []);
        if (wasHeard) receiver.gap();
        wasHeard = true;
        await Promise.race([lost.promise, this.#end.promise, this.#probeUntilSilent()]);
        await client.end().catch(() => undefined);
        this.#parts.hosts.distrust();
      } catch {
        // The database is away.
      }
    }
  }

  /**
   * Sends notices to itself. A connection that delivered and is silent now is lost, though it was not closed. A pooler
   * in transaction mode takes `LISTEN` and delivers nothing: then another connection would not help.
   */
  async #probeUntilSilent(): Promise<void> {
    const { probeMs, warn } = this.#parts;
    let hasHeard = false;
    while (!this.#isClosed) {
      this.#heardProbe = Promise.withResolvers();
      const isSent = await this.send("", "");
      const heard = await Promise.race([
        this.#heardProbe.promise.then(() => true),
        wait(probeMs, false, { signal: this.#stop.signal }).catch(() => true),
      ]);
      if (!heard && hasHeard) return;
      if (!heard && isSent) {
        warn(deliversNothing);
        return this.#end.promise;
      }
      hasHeard ||= heard;
      await wait(probeMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    }
  }

  #hear(payload: string, receiver: NoticeReceiver): void {
    const line = payload.indexOf("\n");
    const head = readHead(payload.slice(0, line));
    if (!head || head.application !== this.#parts.application) return;
    if (head.from === this.#self) return this.#heardProbe.resolve();
    const text = (head.part === 0 ? "" : (this.#begun.get(head.from) ?? "")) + payload.slice(line + 1);
    this.#begun.delete(head.from);
    if (head.part + 1 < head.parts) this.#begun.set(head.from, text);
    else if (head.channel !== "") receiver.message(head.channel, text);
  }
}

/** One byte for each character, so that a text can be cut anywhere. In JSON the escape means the same. */
function inAscii(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function readHead(text: string): Head | undefined {
  try {
    const head: Partial<Head> = Object(JSON.parse(text));
    const isWhole =
      typeof head.application === "string" &&
      typeof head.from === "string" &&
      typeof head.channel === "string" &&
      typeof head.part === "number" &&
      typeof head.parts === "number";
    return isWhole ? (head as Head) : undefined;
  } catch {
    return undefined;
  }
}
