import { isIPv4, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [Address, number];

/** The length of the prefix of `::ffff:0:0/96`, which has every IPv4 address in it (RFC 4291, 2.5.5.2). */
const MAPPED_BITS = 96;

/** Addresses and networks (CIDR, RFC 4632) such as `10.0.0.0/8`. An IPv4 address in IPv6 form counts as the IPv4 address. */
export class Networks {
  readonly #networks: readonly Network[];

  /** Throws an error if an entry is no address or network. */
  constructor(entries: readonly string[]) {
    this.#networks = entries.map(networkOf);
  }

  get isEmpty(): boolean {
    return this.#networks.length === 0;
  }

  includes(address: string): boolean {
    if (this.isEmpty) return false;
    const parsed = unmapped(parsedAddress(address));
    return this.#networks.some((network) => parsed?.kind() === network[0].kind() && parsed.match(network as never));
  }
}

export function isNetwork(entry: string): boolean {
  try {
    return networkOf(entry) !== undefined;
  } catch {
    return false;
  }
}

function networkOf(entry: string): Network {
  const [text = ""] = entry.split("/", 1);
  const given = parsedAddress(text);
  const address = unmapped(given);
  if (!given || !address) throw new RangeError(`${JSON.stringify(entry)} is no address or network`);
  const bits = text === entry ? given.toByteArray().length * 8 : ipaddr.parseCIDR(entry)[1];
  if (address === given) return [given, bits];
  if (bits >= MAPPED_BITS) return [address, bits - MAPPED_BITS];
  return [given, bits];
}

/** Parses an address; undefined for any other text. The library alone would accept `0x7f.1` and `10.0.0` too. */
function parsedAddress(text: string): Address | undefined {
  if (isIPv4(text)) return ipaddr.IPv4.parse(text);
  return isIPv6(text) ? ipaddr.IPv6.parse(text) : undefined;
}

function unmapped(address: Address | undefined): Address | undefined {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}
