type HttpModule = typeof import("node:http");

/**
 * Node's client for a protocol of addresses. Not imported: TLS alone takes as long to load as a third of a small
 * server, and an import of all of `node:http` loads Node's web client.
 */
export function httpClientFor(protocol: string): Pick<HttpModule, "Agent" | "request"> {
  return protocol === "https:" ? process.getBuiltinModule("node:https") : process.getBuiltinModule("node:http");
}
