/** Tests how a system handles a large id and a repeated create. */
import { newPlant } from "#peer/peer.ts";
import type { Service } from "./service.ts";
import { storedIds } from "./store.ts";

/** 2^53 + 1, the first whole number that a double cannot represent. */
export const largeId = "9007199254740993";
const repeatedId = "70000000000001";

export interface Semantics {
  /** The id that a read gives for `largeId`, in digits; undefined if nothing is found under it. */
  largeIdBack?: string;
  /** True if the database has the plant under that id. */
  largeIdStored: boolean;
  /** True if the id comes back as a JSON string. */
  largeIdQuoted: boolean;
  /** The status of the answer to the same create again. */
  repeated: number;
  /** The status of the answer to a create with the same id and another name. */
  conflicting: number;
  /** True if the first plant was unchanged after both. */
  unchanged: boolean;
}

export async function semantics(service: Service): Promise<Semantics> {
  return { ...(await largeIdBack(service)), ...(await repeats(service)) };
}

async function largeIdBack(service: Service) {
  const { peer } = service;
  const answer = await service.create(newPlant(largeId));
  const text = await answer.text();
  const largeIdStored = (await storedIds(peer, service.place)).has(largeId);
  if (!answer.ok) return { largeIdStored, largeIdQuoted: false };
  const stored = await (await service.read(peer.key(largeId, text))).text();
  const found = new RegExp(`"${peer.idColumn}":("?)(-?\\d+)"?`).exec(stored);
  return { largeIdBack: found?.[2], largeIdStored, largeIdQuoted: found?.[1] === '"' };
}

async function repeats(service: Service) {
  const plant = { ...newPlant(repeatedId), name: "the first" };
  const first = await service.create(plant);
  const key = service.peer.key(repeatedId, await first.text());
  const again = await service.create(plant);
  const other = await service.create({ ...plant, name: "another" });
  const stored = await (await service.read(key)).text();
  return { repeated: again.status, conflicting: other.status, unchanged: stored.includes('"the first"') };
}
