import type { NewPlant } from "./plant.ts";

/** A plant of a bulk create, and the line that it came on. */
export interface LinedPlant {
  readonly line: number;
  readonly plant: NewPlant;
}

/** One transaction's worth: short enough that single creates pass between two. */
const SLICE_LENGTH_MAX = 512;
const SLICE_SIZE_UNITS_MAX = 1024 * 1024;
const WINDOW_LENGTH_MAX = 65_536;
const WINDOW_SIZE_UNITS_MAX = 16 * 1024 * 1024;

/**
 * Part of a bulk create, in memory, to be written in the order of ids: in random order each plant would dirty a page of
 * the index by itself; sorted, the plants of one slice share a few (docs/decisions/0012-bulk-creates-are-sorted.md).
 * Plants of the same id keep the order in which they came, so every outcome is as if all had.
 */
export class BulkWindow {
  /** Sorted runs, each longer than the next, merged as they come: no step takes longer than one merge. */
  readonly #runs: LinedPlant[][] = [];
  #latest: LinedPlant[] = [];
  #length = 0;
  #size = 0;

  get isFull(): boolean {
    return this.#length >= WINDOW_LENGTH_MAX || this.#size >= WINDOW_SIZE_UNITS_MAX;
  }

  add(plant: LinedPlant): void {
    this.#latest.push(plant);
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
    this.#runs.push(this.#latest.sort(byIdThenLine));
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

function byIdThenLine(a: LinedPlant, b: LinedPlant): number {
  if (a.plant.id === b.plant.id) return a.line - b.line;
  return a.plant.id < b.plant.id ? -1 : 1;
}

/** Of equal ids those of `earlier` come first. */
function merged(earlier: readonly LinedPlant[], later: readonly LinedPlant[]): LinedPlant[] {
  const all: LinedPlant[] = [];
  let i = 0;
  let j = 0;
  while (i < earlier.length && j < later.length) {
    const [a, b] = [earlier[i], later[j]] as [LinedPlant, LinedPlant];
    if (a.plant.id <= b.plant.id) {
      all.push(a);
      i++;
    } else {
      all.push(b);
      j++;
    }
  }
  return all.concat(earlier.slice(i), later.slice(j));
}

function* sliced(plants: readonly LinedPlant[]): Generator<LinedPlant[]> {
  let slice: LinedPlant[] = [];
  let size = 0;
  for (const plant of plants) {
    slice.push(plant);
    size += sizeOf(plant);
    if (slice.length < SLICE_LENGTH_MAX && size < SLICE_SIZE_UNITS_MAX) continue;
    yield slice;
    slice = [];
    size = 0;
  }
  if (slice.length > 0) yield slice;
}

function sizeOf({ plant }: LinedPlant): number {
  return plant.name.length + (plant.tag?.length ?? 0);
}
