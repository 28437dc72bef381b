/**
 * Which addresses count as one client. An IPv4 address is one. Of IPv6, providers give each customer at least a network
 * of 64 bits, so that one client has as many addresses as it likes; the network counts.
 */
export function sourceOf(address: string): string {
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.split("%", 1)[0]?.split("::") ?? [];
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: zeros }, () => "0"), ...after];
  const network = groups.slice(0, 4).map((group) => group.toLowerCase().replace(/^0+(?=.)/, ""));
  return `${network.join(":")}::/64`;
}

const ownNetworks = /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.)|^(?:::1$|f[cd]|fe80:)/i;

/** Loopback and private networks: a proxy on this machine or beside it, which brings many clients by one address. */
export function isOwnNetwork(address: string): boolean {
  return ownNetworks.test(address);
}
