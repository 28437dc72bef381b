import { type Credentials, readCredentials } from "#protocol";
import { type Address, readAddress } from "./address.ts";

/** Parsed target of a request: its purpose, and the client's credentials in it. */
export interface IngestDestination {
  readonly address: Address;
  readonly query: string;
  /** From the query, or for a check-in from the path. */
  readonly credentials: Credentials;
}

/** A client's target is always the same, so it is parsed once. Bounded, since anyone may send any target. */
const known = new Map<string, IngestDestination>();
const mostKnown = 1_000;
const longestKnown = 500;

/** Parses path and query of a request. Returns undefined if it is not an address of the service. */
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
