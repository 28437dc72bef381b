/**
 * Returns the source that counts as one client. An IPv4 address is one. For IPv6 it is the /64 network, because
 * providers give each customer at least that, and with it any number of addresses.
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

/** Loopback and private networks: a proxy on or near this machine, behind which many clients share one address. */
export function isOwnNetwork(address: string): boolean {
  return ownNetworks.test(address);
}

/** Maps an IPv4-mapped address of a dual-stack socket to IPv4: `::ffff:127.0.0.1` is 127.0.0.1. */
export function withoutMapping(address: string): string {
  return address.startsWith("::ffff:") ? address.slice(7) : address;
}
