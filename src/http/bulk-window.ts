type Text = string | null | undefined;

/** The members of a record beside its id, all of them texts, which a window holds apart. */
export type BulkColumns<Given extends { readonly id: bigint }> = readonly Exclude<keyof Given, "id">[];

export interface Lined<Given> {
  readonly line: number;
  readonly given: Given;
}

/** A slice is written in one transaction, short enough that single creates get in between two slices. */
const SLICE_LENGTH_MAX = 256;
const SLICE_SIZE_UNITS_MAX = 1024 * 1024;
/** The number of plants that are sorted at a time. */
const RUN_LENGTH = 1024;
const WINDOW_LENGTH_MAX = 16_384;
/** An import holds two windows in memory; only plants with long names make one shorter. */
const WINDOW_SIZE_UNITS_MAX = 1024 * 1024;

/**
 * A part of a bulk request in memory, to be written in the order of ids. In random order each plant would dirty a page
 * of the index by itself; sorted, the plants of one slice share a few
 * (docs/decisions/0009-bulk-creates-are-sorted-in-windows.md). Plants with the same id keep the order in which they
 * came, so the outcomes are the same as without sorting. The window holds columns and is reused: as objects the plants
 * would take 40 MB, and twice that until they are collected.
 */
export class BulkWindow<Given extends { readonly id: bigint }> {
  #ids = new BigInt64Array(RUN_LENGTH);
  /** The ids as doubles: exact enough for locality, and a third of the time of comparing bigints. */
  #keys = new Float64Array(RUN_LENGTH);
  #lines = new Float64Array(RUN_LENGTH);
  /** By column, then by index. */
  #texts: Text[][];
  /**
   * Sorted runs of indexes, each longer than the next. They are merged as they come, so no step takes longer than one
   * merge.
   */
  #runs: Uint32Array[] = [];
  #length = 0;
  #inRuns = 0;
  #size = 0;

  constructor(private readonly columns: BulkColumns<Given>) {
    this.#texts = columns.map(() => []);
  }

  get isFull(): boolean {
    return this.#length >= WINDOW_LENGTH_MAX || this.#size >= WINDOW_SIZE_UNITS_MAX;
  }

  add({ line, given }: Lined<Given>): void {
    const { id } = given;
    const index = this.#length++;
    if (index === this.#ids.length) this.#grow();
    this.#ids[index] = id;
    this.#keys[index] = Number(id);
    this.#lines[index] = line;
    for (const [column, member] of this.columns.entries()) {
      const text = given[member] as Text;
      const texts = this.#texts[column] ?? [];
      texts[index] = text;
      this.#size += text?.length ?? 0;
    }
    if (this.#length - this.#inRuns === RUN_LENGTH) this.#closeRun();
  }

  /**
   * The records in slices of one transaction each. If they fit in one slice they stay in the order in which they came.
   */
  *slices(): Generator<Lined<Given>[]> {
    let slice: Lined<Given>[] = [];
    let size = 0;
    for (const index of this.#order()) {
      slice.push(this.#at(index));
      for (const texts of this.#texts) size += texts[index]?.length ?? 0;
      if (slice.length < SLICE_LENGTH_MAX && size < SLICE_SIZE_UNITS_MAX) continue;
      yield slice;
      slice = [];
      size = 0;
    }
    if (slice.length > 0) yield slice;
  }

  clear(): void {
    this.#texts = this.columns.map(() => []);
    this.#runs = [];
    this.#length = this.#inRuns = this.#size = 0;
  }

  #at(index: number): Lined<Given> {
    const given: Partial<Record<keyof Given, unknown>> = { id: this.#ids[index] } as Partial<Given>;
    for (const [column, member] of this.columns.entries()) given[member] = this.#texts[column]?.[index];
    return { line: this.#lines[index] ?? 0, given: given as Given };
  }

  #order(): Uint32Array {
    if (this.#length <= SLICE_LENGTH_MAX) return indexes(0, this.#length);
    this.#closeRun();
    while (this.#runs.length > 1) this.#mergeLastTwo();
    return this.#runs[0] ?? indexes(0, 0);
  }

  #grow(): void {
    this.#ids = copied(this.#ids, new BigInt64Array(2 * this.#ids.length));
    this.#keys = copied(this.#keys, new Float64Array(this.#ids.length));
    this.#lines = copied(this.#lines, new Float64Array(this.#ids.length));
  }

  #closeRun(): void {
    const keys = this.#keys;
    const run = indexes(this.#inRuns, this.#length);
    this.#runs.push(run.sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0) || a - b));
    this.#inRuns = this.#length;
    while (this.#lengthFromEnd(2) <= this.#lengthFromEnd(1)) this.#mergeLastTwo();
  }

  #lengthFromEnd(index: number): number {
    return this.#runs.at(-index)?.length ?? Number.POSITIVE_INFINITY;
  }

  #mergeLastTwo(): void {
    const later = this.#runs.pop() ?? indexes(0, 0);
    const earlier = this.#runs.pop() ?? indexes(0, 0);
    this.#runs.push(merged(earlier, later, this.#keys));
  }
}

function indexes(from: number, to: number): Uint32Array {
  return Uint32Array.from({ length: to - from }, (_, i) => from + i);
}

/** Merges two sorted runs. Of equal keys those of `earlier` come first, as their lines do. */
function merged(earlier: Uint32Array, later: Uint32Array, keys: Float64Array): Uint32Array {
  const all = new Uint32Array(earlier.length + later.length);
  let next = 0;
  let at = 0;
  for (const index of earlier) {
    const key = keys[index] ?? 0;
    for (; next < later.length && (keys[later[next] ?? 0] ?? 0) < key; next++) all[at++] = later[next] ?? 0;
    all[at++] = index;
  }
  all.set(later.subarray(next), at);
  return all;
}

/** Copies an array into a longer one, and returns that. */
export function copied<Column extends BigInt64Array | Float64Array | Uint32Array | Uint8Array>(
  from: Column,
  to: Column,
): Column {
  to.set(from as never);
  return to;
}
