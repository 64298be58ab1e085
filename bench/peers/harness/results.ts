/** The results of a run, as they are stored in a file and shown on the page. */
import { resolve } from "node:path";
import type { PartKind } from "./catalogue.ts";
import type { Crash } from "./crash.ts";
import type { Load, LoadResult } from "./load.ts";
import type { Machine } from "./machine.ts";
import { home, work } from "./place.ts";
import type { Semantics } from "./semantics.ts";
import type { Stretch } from "./steady.ts";

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

/** The date of a measurement of one system by itself, and how busy the machine was before it. */
export interface Measured {
  peer: string;
  version: string;
  date: string;
  fsyncMs: number;
  /** The processes that ran or waited for the disk, as an average of one minute. */
  loadAverage: number;
}

/** Searches on the catalogue of a million plants. */
export interface SearchSample extends Measured {
  fillSeconds: number;
  /** The time from the last row until the index has all rows. */
  indexSeconds: number;
  /** Times in milliseconds. `answers` is the largest number of short pages that made up one page. */
  parts: Record<PartKind, { requests: number; p50: number; worst: number; answers: number }>;
  idleMiB: number;
  searchedMiB: number;
}

/** One backup beside creates. */
export interface BackupRound {
  /** The stretch right before the backup. It is as long as the backup, up to a limit. */
  before: Stretch;
  during: Stretch;
  backupMiB: number;
  /** A correct backup has the plants that were answered before it began, and at most those that were sent before it ended. */
  rows: number;
  rowsMin: number;
  rowsMax: number;
}

/** The system's own backups of the catalogue, beside creates. */
export interface BackupSample extends Measured {
  rounds: BackupRound[];
  /** The number of creates of the whole load that were answered with success. */
  answered: number;
  refused: number;
  /** The number of creates that were answered with success and have no row. */
  lost: number;
}

/** The results of the part "beyond", in which each system is measured by itself. */
export interface BeyondResults {
  machine: Machine;
  searches: SearchSample[];
  backups: BackupSample[];
  skipped: Skipped[];
}

/** The results of each part of the comparison. */
export interface Parts {
  creates: Results;
  beyond: BeyondResults;
}

export type PartName = keyof Parts;

export const partNames: readonly PartName[] = ["creates", "beyond"];

/** Published results are tracked by git, so that a part can be measured again without the others. */
const fileOf = (part: PartName, draft: boolean) => Bun.file(resolve(draft ? work : home, "results", `${part}.json`));

export async function keepResults<Part extends PartName>(part: Part, results: Parts[Part], draft: boolean) {
  await fileOf(part, draft).write(`${JSON.stringify(results, null, 2)}\n`);
}

/** Undefined if the part was never measured, or its results were not stored. A draft prefers the results of drafts. */
export async function keptResults<Part extends PartName>(part: Part, draft: boolean): Promise<Parts[Part] | undefined> {
  for (const file of draft ? [fileOf(part, true), fileOf(part, false)] : [fileOf(part, false)]) {
    if (await file.exists()) return file.json();
  }
  return undefined;
}
