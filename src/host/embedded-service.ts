import path from "node:path";
import { HoldfastError } from "#errors";
import type { Deliver, Delivery } from "#reporting";
import { type AcceptOutcome, openService, type Service } from "#service";

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

/** How long to wait for the process that has the data folder: on a restart it is about to end. */
const lookAgainMs = 2_000;

/** Opens the service in the application's data folder, or waits its turn: envelopes stay in the outbox until then. */
export async function openEmbeddedService(dataFolder: string): Promise<EmbeddedService> {
  const folder = path.join(dataFolder, "data");
  let service = await openUnlessTaken(folder);
  let closed = false;
  return {
    get service() {
      return service;
    },
    deliver: async (envelope) => {
      if (!service && !closed) service = await openUnlessTaken(folder);
      if (!service) return { kind: "later", why: "the service is not open here", afterMs: lookAgainMs };
      return deliveryOf(await service.accept(ownProject, envelope));
    },
    close: async () => {
      closed = true;
      await service?.close();
    },
  };
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
