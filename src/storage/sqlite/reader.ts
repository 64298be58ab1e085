import type { MatchCount } from "#core/match-count.ts";
import type { Observer } from "#core/observer.ts";
import type { AccountNumber, Plant } from "#core/plant.ts";
import type { PlantChoice, PlantPage, PlantQuery } from "#core/store.ts";
import { EXPORT_PAGE_LIMITS, FairQueue, searchLimits } from "../fair-queue.ts";
import { countInSlices } from "../match-count.ts";
import { firstFound } from "../plant-page.ts";
import type { ReadingPace } from "../reading-pace.ts";
import { type LogLength, watchLogHeld } from "./log-hold.ts";
import { type ReadingThread, readingThread } from "./reading.ts";

/** A thread reads one thing at a time. */
const SEARCHES_AT_ONCE_MAX = 1;

interface ReaderOptions {
  /** Each page of an export also takes time on the serving thread, so only exports have a pace. */
  readonly pace?: ReadingPace;
  readonly logLength?: LogLength;
}

/** Long reads on two separate threads, one for searches and one for exports, so that neither waits for the other. */
export class Reader {
  readonly #observer: Observer;
  readonly #searching: ReadingThread;
  readonly #exporting: ReadingThread;
  readonly #searches = new FairQueue(searchLimits(SEARCHES_AT_ONCE_MAX));
  readonly #exportPages: FairQueue;
  readonly #logLength: LogLength;
  readonly #watches = new Set<() => void>();
  #exports = 0;

  constructor(path: string, observer: Observer, { pace, logLength = () => 0 }: ReaderOptions = {}) {
    this.#observer = observer;
    this.#logLength = logLength;
    this.#exportPages = new FairQueue(EXPORT_PAGE_LIMITS, pace);
    this.#searching = readingThread(path, observer);
    this.#exporting = readingThread(path, observer);
  }

  async search(account: AccountNumber, query: PlantQuery): Promise<PlantPage> {
    const start = performance.now();
    const page = await firstFound(query, (each) =>
      this.#searches.run(account, () => this.#searching.ask({ kind: "search", account, query: each })),
    );
    this.#observer.searched({ ms: performance.now() - start });
    return page;
  }

  countMatches(account: AccountNumber, filter: PlantChoice): Promise<MatchCount> {
    return countInSlices((after) =>
      this.#searches.run(account, () => this.#searching.ask({ kind: "count", account, filter, after })),
    );
  }

  suggestTags(account: AccountNumber): Promise<readonly string[]> {
    return this.#searches.run(account, () => this.#searching.ask({ kind: "tags", account }));
  }

  /**
   * One page is read ahead, and no more. Ending the iteration early releases the snapshot. If it has to be released
   * before that, `onCut` is called with the reason, and the next page is refused.
   */
  async *export(account: AccountNumber, onCut?: (reason: string) => void): AsyncGenerator<readonly Plant[], void> {
    const number = ++this.#exports;
    const begin = { kind: "export", account, export: number } as const;
    const more = { kind: "export-more", export: number } as const;
    let cut: string | undefined;
    let endWatch = () => {};
    const watch = () =>
      this.#watch((reason) => {
        cut = reason;
        this.#endExport(number).catch(() => undefined);
        onCut?.(reason);
      });
    try {
      let page = await this.#exportPages.run(account, () => {
        endWatch = watch();
        return this.#exporting.ask(begin);
      });
      while (page.length > 0) {
        const next = this.#exportPages.run(account, () => this.#exporting.ask(more));
        // The end of the plants is the end of the snapshot, however slowly the last page is taken.
        next.then(({ length }) => length === 0 && endWatch()).catch(() => undefined);
        yield page;
        if (cut !== undefined) throw new Error(`The export was cut: ${cut}`);
        page = await next;
      }
    } finally {
      endWatch();
      await this.#endExport(number);
    }
  }

  close(): void {
    for (const endWatch of this.#watches) endWatch();
    this.#searching.close();
    this.#exporting.close();
  }

  #watch(end: (reason: string) => void): () => void {
    const stop = watchLogHeld(this.#logLength, end);
    this.#watches.add(stop);
    return () => {
      stop();
      this.#watches.delete(stop);
    };
  }

  async #endExport(number: number): Promise<void> {
    if (this.#exporting.isStarted) await this.#exporting.ask({ kind: "export-end", export: number });
  }
}
