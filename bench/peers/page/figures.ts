/** The figures of the page from the samples: medians over the rounds, with their ranges. */
import type { LoadSample, Results } from "#harness/results.ts";
import { peers } from "#peer/all.ts";
import type { Peer } from "#peer/peer.ts";
import { median } from "../../median.ts";

export interface Spread {
  median: number;
  least: number;
  most: number;
}

export const spread = (values: readonly number[]): Spread => ({
  median: values.length > 0 ? median(values) : Number.NaN,
  least: Math.min(...values),
  most: Math.max(...values),
});

export type Kind = Pick<LoadSample, "connections" | "order">;

export const ours = "plantstore-sqlite";

/** Successful answers a second; 0 if the load ended before the first one. */
export const rate = (load: LoadSample) => (load.seconds > 0 ? (load.answers - load.refused) / load.seconds : 0);

/** Microseconds of processor time for each success: the peer's and its database server's. */
export function cost(load: LoadSample): number {
  const successes = load.answers - load.refused;
  return successes > 0 ? (load.processorSeconds * 1e6) / successes : 0;
}

export function loadsOf(results: Results, peer: string, kind: Kind): LoadSample[] {
  return results.samples
    .filter((sample) => sample.peer === peer)
    .sort((a, b) => a.round - b.round)
    .flatMap((sample) =>
      sample.loads.filter((load) => load.connections === kind.connections && load.order === kind.order),
    );
}

export function spreadOf(results: Results, peer: string, kind: Kind, figure: (load: LoadSample) => number): Spread {
  return spread(loadsOf(results, peer, kind).map(figure));
}

/** How many times as many creates Plantstore does, by the two figures of each round. */
export function timesAsMany(results: Results, peer: string, kind: Kind): number {
  const own = loadsOf(results, ours, kind);
  const theirs = loadsOf(results, peer, kind);
  return spread(theirs.flatMap((load, index) => (own[index] && rate(load) > 0 ? [rate(own[index]) / rate(load)] : [])))
    .median;
}

/** The measured systems by their rate at 256 connections, with the echoes, which store nothing, last. */
export function ranked(results: Results): Peer[] {
  const creates = (peer: Peer) => spreadOf(results, peer.name, { connections: 256, order: "sequential" }, rate).median;
  const measured = peers.filter(({ name }) => results.samples.some(({ peer }) => peer === name));
  return measured.sort((a, b) => Number(a.engine === "none") - Number(b.engine === "none") || creates(b) - creates(a));
}

export const titleOf = (peer: string) => peers.find(({ name }) => name === peer)?.title ?? peer;

export const stores = (results: Results) => ranked(results).filter(({ engine }) => engine !== "none");
