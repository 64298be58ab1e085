import type { NewPlant } from "./plant.ts";

/** A plant of a bulk create, and the line that it came on. */
export interface LinedPlant {
  readonly line: number;
  readonly plant: NewPlant;
}

/** Sorted by the id as a double: exact enough for locality, and a third of the time of comparing bigints. */
interface SortedPlant extends LinedPlant {
  readonly key: number;
}

/** One transaction's worth: short enough that single creates pass between two. */
const SLICE_LENGTH_MAX = 1024;
const SLICE_SIZE_UNITS_MAX = 1024 * 1024;
const WINDOW_LENGTH_MAX = 65_536;
const WINDOW_SIZE_UNITS_MAX = 16 * 1024 * 1024;

/**
 * Part of a bulk create, in memory, to be written in the order of ids: in random order each plant would dirty a page of
 * the index by itself; sorted, the plants of one slice share a few (docs/decisions/0007-bulk-creates-are-sorted-in-windows.md).
 * Plants of the same id keep the order in which they came, so every outcome is as if all had.
 */
export class BulkWindow {
  /** Sorted runs, each longer than the next, merged as they come: no step takes longer than one merge. */
  readonly #runs: SortedPlant[][] = [];
  #latest: SortedPlant[] = [];
  #length = 0;
  #size = 0;

  get isFull(): boolean {
    return this.#length >= WINDOW_LENGTH_MAX || this.#size >= WINDOW_SIZE_UNITS_MAX;
  }

  add({ line, plant }: LinedPlant): void {
    this.#latest.push({ line, plant, key: Number(plant.id) });
    this.#length++;
    this.#size += sizeOf(plant);
    if (this.#latest.length === SLICE_LENGTH_MAX) this.#closeRun();
  }

  /** What to write, one transaction each. As few plants as one slice holds stay in the order in which they came. */
  slices(): Generator<LinedPlant[]> {
    if (this.#runs.length === 0) return sliced(this.#latest);
    this.#closeRun();
    while (this.#runs.length > 1) this.#mergeLastTwo();
    return sliced(this.#runs[0] ?? []);
  }

  #closeRun(): void {
    this.#runs.push(this.#latest.sort((a, b) => a.key - b.key || a.line - b.line));
    this.#latest = [];
    while (this.#lengthFromEnd(2) <= this.#lengthFromEnd(1)) this.#mergeLastTwo();
  }

  #lengthFromEnd(place: number): number {
    return this.#runs.at(-place)?.length ?? Number.POSITIVE_INFINITY;
  }

  #mergeLastTwo(): void {
    const later = this.#runs.pop() ?? [];
    const earlier = this.#runs.pop() ?? [];
    this.#runs.push(merged(earlier, later));
  }
}

/** Of equal keys those of `earlier` come first, as their lines do. */
function merged(earlier: SortedPlant[], later: SortedPlant[]): SortedPlant[] {
  const all: SortedPlant[] = [];
  let place = 0;
  for (const plant of earlier) {
    for (let next = later[place]; next && next.key < plant.key; next = later[++place]) all.push(next);
    all.push(plant);
  }
  return all.concat(later.slice(place));
}

function* sliced(plants: readonly LinedPlant[]): Generator<LinedPlant[]> {
  let slice: LinedPlant[] = [];
  let size = 0;
  for (const lined of plants) {
    slice.push(lined);
    size += sizeOf(lined.plant);
    if (slice.length < SLICE_LENGTH_MAX && size < SLICE_SIZE_UNITS_MAX) continue;
    yield slice;
    slice = [];
    size = 0;
  }
  if (slice.length > 0) yield slice;
}

function sizeOf({ name, tag }: NewPlant): number {
  return name.length + (tag?.length ?? 0);
}
