import cluster, { type Worker } from "node:cluster";
import type { ChannelRelay } from "#pages";

/** A message of a channel between a worker and the first process, or the notice that some were missed. */
type ChannelMessage = { kind: "channel"; channel: string; text: string } | { kind: "channel-gap" };

/**
 * Messages on their way to one process. A process that does not read them is stuck, and must not fill the memory of the
 * others: 128 of the largest.
 */
const onTheWayBytes = 8_388_608;

export function isChannelMessage(message: unknown): message is ChannelMessage {
  const { kind } = Object(message) as { kind?: unknown };
  return kind === "channel" || kind === "channel-gap";
}

/** What a process sends messages with: itself to its parent, or the parent to a worker. */
interface Line {
  send(message: ChannelMessage, sent: (error: Error | null) => void): void;
}

/** Sends within the limit. What is beyond it is left out, and a notice follows as soon as there is room. */
export class BoundedLine {
  readonly #line: Line;
  #bytes = 0;
  #hasMissed = false;

  constructor(line: Line) {
    this.#line = line;
  }

  send(message: ChannelMessage): Promise<boolean> {
    const bytes = message.kind === "channel" ? Buffer.byteLength(message.text) : 0;
    if (this.#bytes + bytes > onTheWayBytes) {
      this.#hasMissed = true;
      return Promise.resolve(false);
    }
    this.#bytes += bytes;
    return new Promise((resolve) => {
      const sent = (error: Error | null): void => {
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
  if (!cluster.isWorker) return undefined;
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

/** In the first process: passes a worker's message on to all others. */
export function createWorkerCarrier(workers: () => readonly Worker[]): (from: Worker, message: ChannelMessage) => void {
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
  return (from, message) => {
    for (const worker of workers()) if (worker !== from) void lineOf(worker).send(message);
  };
}
