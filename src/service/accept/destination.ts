import { type Credentials, readCredentials } from "#protocol";
import { type Address, readAddress } from "./address.ts";

/** What the target of a request tells: what is asked for, and who asks, as far as it says. */
export interface IngestDestination {
  readonly address: Address;
  readonly query: string;
  /** In the query, or for a check-in in the path. */
  readonly credentials: Credentials;
}

/** A client's target is the same with every request, so it is read once. Bounded, since anybody may send any. */
const known = new Map<string, IngestDestination>();
const mostKnown = 1_000;
const longestKnown = 500;

/** Reads path and query of a request. Nothing when it is none of the service's addresses. */
export function readDestination(target: string): IngestDestination | undefined {
  const remembered = known.get(target);
  if (remembered !== undefined) return remembered;
  const queryAt = target.indexOf("?");
  const address = readAddress(queryAt < 0 ? target : target.slice(0, queryAt));
  if (address === undefined) return undefined;
  const query = queryAt < 0 ? "" : target.slice(queryAt + 1);
  const destination = { address, query, credentials: credentialsIn(address, query) };
  if (known.size >= mostKnown) known.clear();
  if (target.length <= longestKnown) known.set(target, destination);
  return destination;
}

function credentialsIn(address: Address, query: string): Credentials {
  if (address.kind === "check-in" && address.publicKey !== undefined)
    return { kind: "key", publicKey: address.publicKey.toLowerCase() };
  return readCredentials({ query });
}
