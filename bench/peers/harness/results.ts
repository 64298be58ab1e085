/** The results of a run, as they are stored in a file and shown on the page. */
import { resolve } from "node:path";
import type { Crash } from "./crash.ts";
import type { Load, LoadResult } from "./load.ts";
import type { Machine } from "./machine.ts";
import { work } from "./place.ts";
import type { Semantics } from "./semantics.ts";

export interface LoadSample extends LoadResult, Pick<Load, "connections" | "order"> {
  /** Processor time of the system and its database server. */
  processorSeconds: number;
  /** Rows that the load added; undefined where nothing is stored. */
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
  /** From the install command, with empty package caches, to the first record. */
  firstRecordSeconds: number;
  /** Calls of fsync and fdatasync for each of some sequential creates; undefined without strace. */
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

const file = resolve(work, "results.json");

export const keepResults = (results: Results) => Bun.write(file, JSON.stringify(results, null, 2));
export const keptResults = (): Promise<Results> => Bun.file(file).json();
