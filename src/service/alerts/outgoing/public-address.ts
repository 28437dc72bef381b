import { BlockList, isIPv4, isIPv6 } from "node:net";

/**
 * Networks that a webhook must not reach unless an owner allows it: the machine itself, its private network, metadata
 * services of clouds (169.254.169.254), and addresses that only lead to such ones. From the IANA registries of
 * special-purpose addresses.
 */
const special4: readonly (readonly [network: string, bits: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

const special6: readonly (readonly [network: string, bits: number])[] = [
  ["::", 96],
  ["::ffff:0:0", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
  ["5f00::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
];

// Two lists: Node compares an address of IPv4 with networks of IPv6 too, in its mapped form.
const inside4 = new BlockList();
for (const [network, bits] of special4) inside4.addSubnet(network, bits, "ipv4");
const inside6 = new BlockList();
for (const [network, bits] of special6) inside6.addSubnet(network, bits, "ipv6");

/** Whether an address belongs to the public internet. Anything that is not an address does not. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !inside4.check(address, "ipv4");
  return isIPv6(address) && !inside6.check(address, "ipv6");
}
