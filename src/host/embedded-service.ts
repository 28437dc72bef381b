import path from "node:path";
import { HoldfastError } from "#errors";
import type { Deliver, Delivery } from "#reporting";
import { type AcceptOutcome, openService, type Service } from "#service";
import { deliverToNeighbour, listenForNeighbours } from "./service-socket.ts";

/** The error service inside an application's own process. */
export interface EmbeddedService {
  /** Absent while another process of this application has the data folder. */
  readonly service: Service | undefined;
  /** Brings an envelope to the application's own project. */
  deliver: Deliver;
  close(): Promise<void>;
}

/** The project that the first start of a service makes. */
const ownProject = 1;

/** On a restart the process that has the data folder is about to end. */
const lookAgainMs = 2_000;

/**
 * Opens the service in the application's data folder, or brings envelopes to the process that has it. When that one has ended, this one takes its
 * place; in between, envelopes stay in the outbox.
 */
export async function openEmbeddedService(dataFolder: string, buildFolder?: string): Promise<EmbeddedService> {
  const folder = path.join(dataFolder, "data");
  const socket = path.join(folder, "neighbours.sock");
  let service: Service | undefined;
  let stopListening: (() => void) | undefined;
  let closed = false;
  const accept = async (open: Service, envelope: Uint8Array): Promise<Delivery> =>
    deliveryOf(await open.accept(ownProject, envelope));
  const takeOver = async (): Promise<Service | undefined> => {
    if (closed || service) return service;
    const opened = await openUnlessTaken(folder);
    if (!opened) return undefined;
    service = opened;
    stopListening = listenForNeighbours(socket, (envelope) => accept(opened, envelope));
    if (buildFolder !== undefined) opened.addSourceMaps(ownProject, buildFolder).catch(tellOfMaps);
    return opened;
  };
  await takeOver();
  return {
    get service() {
      return service;
    },
    deliver: async (envelope) => {
      if (service) return accept(service, envelope);
      const delivered = await deliverToNeighbour(socket, envelope);
      if (delivered !== "nobody") return delivered;
      const own = await takeOver();
      return own ? accept(own, envelope) : { kind: "later", why: "nobody has the service", afterMs: lookAgainMs };
    },
    close: async () => {
      closed = true;
      stopListening?.();
      await service?.close();
    },
  };
}

/** Stacks stay as the browser gave them; everything else works. */
function tellOfMaps(error: unknown): void {
  console.error("The build's source maps could not be taken in:", error);
}

async function openUnlessTaken(dataFolder: string): Promise<Service | undefined> {
  try {
    return await openService({ dataFolder });
  } catch (error) {
    // Pages are served without their service too; what they report waits in the outbox.
    if (!(error instanceof HoldfastError && error.code === "service-folder-in-use"))
      console.error("The error service cannot be opened:", error);
    return undefined;
  }
}

/** What the service's answer means for the envelope's place in the outbox. */
function deliveryOf(outcome: AcceptOutcome): Delivery {
  switch (outcome.kind) {
    case "accepted":
      return { kind: "taken", limits: outcome.limits };
    case "limited":
      return { kind: "later", why: "over its quota", limits: outcome.limits };
    case "unavailable":
      return { kind: "later", why: outcome.why, afterMs: outcome.retryAfterSeconds * 1_000 };
    default:
      return { kind: "refused", why: outcome.kind };
  }
}
