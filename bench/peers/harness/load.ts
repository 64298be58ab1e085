/** Loads a system with creates: one thread of wrk, on a core of its own, sends them in a closed loop. */
import { resolve } from "node:path";
import { newPlant } from "#peer/peer.ts";
import { loadCore, run } from "./process.ts";
import type { Service } from "./service.ts";

export interface Load {
  connections: number;
  seconds: number;
  order: "sequential" | "scattered";
  /** The first id of this load. No two loads share an id. */
  firstId: number;
}

export interface LoadResult {
  /** The number of answers, with success or without. */
  answers: number;
  /** The number of answers without success. */
  refused: number;
  /** The number of sockets that failed. */
  broken: number;
  seconds: number;
  /** Latencies in milliseconds. */
  p50: number;
  p99: number;
  worst: number;
}

const script = resolve(import.meta.dir, "load.lua");
const mark = "@";

export async function load({ peer, place, token }: Service, load: Load): Promise<LoadResult> {
  const [head = "", middle = "", tail = ""] = peer.body(newPlant(mark)).split(mark);
  const wrk = [
    ...["wrk", "-t1", `-c${load.connections}`, `-d${load.seconds}s`, "--timeout", "30s", "-s", script, place.url, "--"],
    ...[peer.plants, token || "none", String(load.firstId), load.order, head, middle, tail],
  ];
  const output = await run({ arguments: ["taskset", "-c", loadCore, ...wrk] }, load.seconds + 40);
  const line = output.trim().split("\n").at(-1) ?? "";
  return JSON.parse(line) as LoadResult;
}
