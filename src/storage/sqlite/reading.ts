import { storageUnavailable } from "#core/failure.ts";
import type { Observer } from "#core/observer.ts";
import type { AccountNumber, Plant } from "#core/plant.ts";
import type { PlantChoice, PlantPage, PlantQuery } from "#core/store.ts";
import type { CountedSlice } from "../match-count.ts";
import { WorkerThread } from "./worker-thread.ts";

/** The questions that the serving thread asks a reading thread, which gives one answer to each. */
export type Question =
  | { readonly kind: "search"; readonly account: AccountNumber; readonly query: PlantQuery }
  | {
      readonly kind: "count";
      readonly account: AccountNumber;
      readonly filter: PlantChoice;
      readonly after: bigint | undefined;
    }
  | { readonly kind: "tags"; readonly account: AccountNumber }
  | { readonly kind: "export"; readonly account: AccountNumber; readonly export: number }
  | { readonly kind: "export-more"; readonly export: number }
  | { readonly kind: "export-end"; readonly export: number };

export interface Answers {
  readonly search: PlantPage;
  readonly count: CountedSlice;
  readonly tags: readonly string[];
  readonly export: readonly Plant[];
  readonly "export-more": readonly Plant[];
  readonly "export-end": undefined;
}

/** A worker that reads the file of plants on a thread of its own. */
export type ReadingThread = WorkerThread<Question, Answers>;

export function readingThread(path: string, observer: Pick<Observer, "failed">): ReadingThread {
  return new WorkerThread({
    path,
    start: () => new Worker(new URL("./reading-worker.ts", import.meta.url), { smol: true }),
    refusal: ({ error, isStorageError }) => (isStorageError ? storageUnavailable(error) : new Error(error)),
    failed(reason) {
      const error = new Error(`The reading thread ${reason}`);
      observer.failed("reader", error);
      return error;
    },
  });
}
