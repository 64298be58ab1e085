import { BlockList, isIP } from "node:net";

/** The addresses and networks (CIDR, RFC 4632) whose forwarded headers count. */
export class TrustedProxies {
  readonly #networks = new BlockList();

  constructor(entries: readonly string[]) {
    for (const entry of entries) this.#add(entry);
  }

  includes(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#networks.check(address, family === 6 ? "ipv6" : "ipv4");
  }

  #add(entry: string): void {
    const [address = "", length, ...more] = entry.split("/");
    const family = isIP(address);
    const bits = family === 6 ? 128 : 32;
    const prefix = length === undefined ? bits : Number(length);
    const malformed =
      family === 0 || more.length > 0 || length === "" || !Number.isInteger(prefix) || prefix < 0 || prefix > bits;
    if (malformed) throw new RangeError(`${JSON.stringify(entry)} is no address or network`);
    this.#networks.addSubnet(address, prefix, family === 6 ? "ipv6" : "ipv4");
  }
}

export function isNetwork(entry: string): boolean {
  try {
    return new TrustedProxies([entry]).includes(entry.split("/", 1)[0] ?? "");
  } catch {
    return false;
  }
}
