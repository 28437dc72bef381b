import { BlockList, isIP } from "node:net";

/** Returns undefined for a text that is neither an address nor a network such as `10.0.0.0/8`. */
export function compileAddress(text: string): ((address: string) => boolean) | undefined {
  const [address = "", bits, ...more] = text.split("/");
  const family = isIP(address);
  if (family === 0 || more.length > 0) return undefined;
  const most = family === 6 ? 128 : 32;
  if (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most)) return undefined;
  const list = new BlockList();
  list.addSubnet(address, bits === undefined ? most : Number(bits), familyName(family));
  return (one) => {
    const other = isIP(one);
    return other !== 0 && list.check(one, familyName(other));
  };
}

/** Recognises what any of the texts names, such as trusted proxies. They were checked before. */
export function compileAddresses(texts: readonly string[]): (address: string) => boolean {
  const named = texts.flatMap((text) => compileAddress(text) ?? []);
  return (address) => named.some((isNamed) => isNamed(address));
}

/** Whether the text is an address or a network: `10.0.0.1`, `10.0.0.0/8`, `::1`. */
export function isNetwork(text: string): boolean {
  return compileAddress(text) !== undefined;
}

function familyName(family: number): "ipv4" | "ipv6" {
  return family === 6 ? "ipv6" : "ipv4";
}
