import type { Worker } from "node:cluster";
import type { ChannelReceiver, ChannelRelay } from "#pages";
import { isWorker } from "../process/worker-mark.ts";

/** A message of a channel on its way to another process, or the notice that some were missed. */
export type ChannelMessage = { kind: "channel"; channel: string; text: string } | { kind: "channel-gap" };

/**
 * Messages on their way to one process. A process that does not read them is stuck, and must not fill the memory of the
 * others: 128 of the largest.
 */
const onTheWayBytes = 8_388_608;

/**
 * Counted for each message beside its text: what one that waits occupies in this process. A burst of 8,000 in one turn
 * of the event loop still passes.
 */
const messageBytes = 1_024;

/**
 * How long a publisher waits for a process that does not read. It reads the message later, or gets a gap. One that is
 * only busy reads sooner, and a loop that publishes is slowed down to its pace.
 */
const takenWithinMs = 1_000;

export function isChannelMessage(message: unknown): message is ChannelMessage {
  const { kind } = Object(message) as { kind?: unknown };
  return kind === "channel" || kind === "channel-gap";
}

/** What a process sends messages with: itself to its parent, or the parent to a worker. */
interface Line {
  send(message: ChannelMessage, sent: (error: Error | null) => void): void;
}

/**
 * Sends within the limit. What is beyond it is left out, and a notice follows when the rest has been taken. `send`
 * resolves with false if the message was left out or failed.
 */
export class BoundedLine {
  readonly #line: Line;
  #bytes = 0;
  #hasMissed = false;
  /** Whether a publisher has waited in vain: the others need not. */
  #isLate = false;

  constructor(line: Line) {
    this.#line = line;
  }

  send(message: ChannelMessage): Promise<boolean> {
    const bytes = messageBytes + (message.kind === "channel" ? Buffer.byteLength(message.text) : 0);
    if (this.#bytes + bytes > onTheWayBytes) {
      this.#hasMissed = true;
      return Promise.resolve(false);
    }
    this.#bytes += bytes;
    return new Promise((resolve) => {
      const goOn = (): void => {
        this.#isLate = true;
        resolve(true);
      };
      const late = setTimeout(goOn, this.#isLate ? 0 : takenWithinMs).unref();
      const sent = (error: Error | null): void => {
        clearTimeout(late);
        this.#isLate = false;
        this.#bytes -= bytes;
        resolve(!error);
        if (!this.#hasMissed || this.#bytes > 0) return;
        this.#hasMissed = false;
        void this.send({ kind: "channel-gap" });
      };
      try {
        this.#line.send(message, sent);
      } catch (error) {
        sent(error as Error);
      }
    });
  }
}

/** In a worker: messages go to the first process, which sends them to the other workers. Undefined elsewhere. */
export function openWorkerRelay(): ChannelRelay | undefined {
  if (!isWorker()) return undefined;
  const parent = new BoundedLine({
    send: (message, sent) => {
      if (!process.send) throw new Error("The first process has gone.");
      process.send(message, undefined, undefined, sent);
    },
  });
  return {
    send: (channel, text) => parent.send({ kind: "channel", channel, text }),
    listen: (receiver) => {
      process.on("message", (message) => {
        if (!isChannelMessage(message)) return;
        if (message.kind === "channel") receiver.message(message.channel, message.text);
        else receiver.gap();
      });
    },
  };
}

/** Processes outside of this group of workers. */
export interface NeighbourRelay extends ChannelRelay {
  /** Tells them that they may have missed messages. */
  sendGap(): Promise<void>;
}

/** In the first process: passes a worker's message on to all others, and to the neighbours, whose messages all get. */
export function createWorkerCarrier(
  workers: () => readonly Worker[],
  neighbours: NeighbourRelay | undefined,
): (from: Worker, message: ChannelMessage) => void {
  const lines = new WeakMap<Worker, BoundedLine>();
  const lineOf = (worker: Worker): BoundedLine => {
    const known = lines.get(worker);
    if (known) return known;
    const line = new BoundedLine({
      send: (message, sent) => {
        if (!worker.isConnected()) throw new Error("This worker has gone.");
        worker.process.send?.(message, undefined, undefined, sent);
      },
    });
    lines.set(worker, line);
    return line;
  };
  const sendAll = (message: ChannelMessage, except?: Worker): void => {
    for (const worker of workers()) if (worker !== except) void lineOf(worker).send(message);
  };
  const receiver: ChannelReceiver = {
    message: (channel, text) => sendAll({ kind: "channel", channel, text }),
    gap: () => sendAll({ kind: "channel-gap" }),
  };
  neighbours?.listen(receiver);
  return (from, message) => {
    sendAll(message, from);
    // What came from neighbours does not go back: each of them sends to all others itself.
    if (message.kind === "channel") void neighbours?.send(message.channel, message.text);
    else void neighbours?.sendGap();
  };
}
