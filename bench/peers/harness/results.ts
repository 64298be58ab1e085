/** The results of a run, as they are stored in a file and shown on the page. */
import { resolve } from "node:path";
import type { Operation } from "#peer/peer.ts";
import type { Crash } from "./crash.ts";
import type { Load, LoadResult } from "./load.ts";
import type { Machine } from "./machine.ts";
import { home, work } from "./place.ts";
import type { Semantics } from "./semantics.ts";

export interface LoadSample extends LoadResult, Pick<Load, "connections" | "order"> {
  /** Processor time of the system and its database server. */
  processorSeconds: number;
  /** The number of rows that the load added; undefined for a system that stores nothing. */
  rows?: number;
}

/** One system in one round. */
export interface Sample {
  peer: string;
  round: number;
  loads: LoadSample[];
  idleMiB: number;
  loadedMiB: number;
}

/** The figures that are taken once for each system. */
export interface Facts {
  peer: string;
  version: string;
  sizeMiB: number;
  /** The time from the install command, with empty package caches, to the first record. */
  firstRecordSeconds: number;
  /** The average number of calls of fsync and fdatasync for a sequential create; undefined without strace. */
  syncsPerCreate?: number;
  semantics?: Semantics;
  crash?: Crash;
}

export interface Skipped {
  peer: string;
  reason: string;
}

export interface Results {
  date: string;
  rounds: number;
  secondsPerLoad: number;
  machine: Machine;
  samples: Sample[];
  facts: Facts[];
  skipped: Skipped[];
}

export interface OperationSample extends LoadResult {
  operation: Operation;
  connections: number;
  processorSeconds: number;
}

/** One round of all operations but creates, over a million plants. */
export interface OperationResults {
  date: string;
  secondsPerLoad: number;
  machine: Machine;
  /** `removed` and `changed` are the rows that the loads removed and changed. */
  systems: { peer: string; version: string; samples: OperationSample[]; removed: number; changed: number }[];
  skipped: Skipped[];
}

interface Kept {
  creates: Results;
  operations: OperationResults;
}

/** Published results are tracked by git, so that the page can be made from them again. */
const fileOf = (part: keyof Kept, draft: boolean) => Bun.file(resolve(draft ? work : home, `results/${part}.json`));

export async function keepResults<Part extends keyof Kept>(part: Part, results: Kept[Part], draft: boolean) {
  await fileOf(part, draft).write(`${JSON.stringify(results, null, 2)}\n`);
}

/** Undefined if no results were stored. A draft prefers the results of drafts. */
export async function keptResults<Part extends keyof Kept>(
  part: Part,
  draft: boolean,
): Promise<Kept[Part] | undefined> {
  for (const file of draft ? [fileOf(part, true), fileOf(part, false)] : [fileOf(part, false)]) {
    if (await file.exists()) return file.json();
  }
  return undefined;
}
