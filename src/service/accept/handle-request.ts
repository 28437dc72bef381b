import type { Exchange } from "#http";
import type { Credentials } from "#protocol";
import { answerPreflight } from "./answer.ts";
import { allReaders, type Readers, readersOf } from "./cors.ts";
import { Delivery, type IngestDeps } from "./delivery.ts";
import { type IngestDestination, readDestination } from "./destination.ts";
import { credentialsOf, findSender, noKey, type SenderClaims } from "./find-sender.ts";
import { receiveEnvelope } from "./receive-envelope.ts";
import { receiveWhole } from "./receive-whole.ts";
import type { SendingClient } from "./sending.ts";

/**
 * Answers a request to the service. `target` is the path and query below the service's base path. Returns `false`, and
 * does nothing, for an address that is not the service's.
 */
export function handleIngestRequest(deps: IngestDeps, exchange: Exchange, target: string): boolean {
  const destination = readDestination(target);
  if (destination === undefined) return false;
  if (exchange.incoming.method === "OPTIONS") {
    answerPreflight(exchange.response, readersOfPreflight(deps, exchange, destination));
    return true;
  }
  const delivery = new Delivery(deps, exchange, destination);
  delivery.attempt(() => accept(deps, delivery));
  return true;
}

/** The cheapest checks are first, and nothing is decompressed for an unknown client. */
function accept(deps: IngestDeps, delivery: Delivery): void {
  const { end, destination } = delivery;
  const { address } = destination;
  if (address.kind === "unknown") return end({ kind: "not-found", why: nothingHere });
  const allowed = address.kind === "check-in" ? readOrSent : sentOnly;
  if (!allowed.includes(delivery.request.method ?? ""))
    return end({ kind: "wrong-method", allowed: allowed.join(", ") });
  const { headers } = delivery.request;
  const client: SendingClient = { agent: headers["user-agent"], address: deps.addressOf(delivery.request) };
  const claims: SenderClaims = { projectId: address.project, origin: headers.origin, client };
  const credentials = credentialsOf(headers, destination);
  delivery.readers = readersFor(deps, credentials, headers.origin);
  const sender = findSender(deps, credentials, claims);
  if (sender.kind === "refused") return end(sender.outcome);
  if (sender.kind === "unnamed" && address.kind !== "envelope") return end(noKey);
  // A client that identifies itself only in its envelope uses the quota of the project in the address.
  const project = sender.kind === "found" ? sender.project : deps.projects.byId(address.project ?? 0);
  if (project === undefined) return end(noKey);
  const limit = deps.quota.takeRequest(project.id);
  if (limit !== undefined) return end({ kind: "limited", limits: [limit] });
  delivery.held.belongsTo(project.id);
  if (address.kind === "envelope") receiveEnvelope(deps, delivery, { sender, claims });
  else if (sender.kind === "found") receiveWhole(deps, delivery, sender, address);
}

/** The preflight of a browser has no headers with a key, but the address of its client usually has one. */
function readersOfPreflight(deps: IngestDeps, { incoming }: Exchange, { credentials }: IngestDestination): Readers {
  return readersFor(deps, credentials, incoming.headers.origin);
}

function readersFor({ projects }: IngestDeps, credentials: Credentials, origin: string | undefined): Readers {
  if (origin === undefined || credentials.kind !== "key") return allReaders;
  return readersOf(projects.findKey(credentials.publicKey)?.key, origin);
}

const sentOnly: readonly string[] = ["POST"];
const readOrSent: readonly string[] = ["GET", "POST"];

const nothingHere =
  "There is nothing at this address. A project takes envelope/, store/, security/, cron/NAME/ and integration/otlp/v1/traces or logs.";
