import type { MatchCount } from "#core/match-count.ts";
import type { Observer } from "#core/observer.ts";
import type { AccountNumber, Plant } from "#core/plant.ts";
import type { PlantChoice, PlantPage, PlantQuery } from "#core/store.ts";
import { EXPORT_PAGE_LIMITS, FairQueue, searchLimits } from "../fair-queue.ts";
import { countInSlices } from "../match-count.ts";
import { firstFound } from "../plant-page.ts";
import type { ReadingPace } from "../reading-pace.ts";
import { type ReadingThread, readingThread } from "./reading.ts";

/** A thread reads one thing at a time. */
const SEARCHES_AT_ONCE_MAX = 1;

/** Long reads on two separate threads, one for searches and one for exports, so that neither waits for the other. */
export class Reader {
  readonly #observer: Observer;
  readonly #searching: ReadingThread;
  readonly #exporting: ReadingThread;
  readonly #searches = new FairQueue(searchLimits(SEARCHES_AT_ONCE_MAX));
  readonly #exportPages: FairQueue;
  #exports = 0;

  /** Each page of an export also takes time on the serving thread, so only exports have a pace. */
  constructor(path: string, observer: Observer, pace?: ReadingPace) {
    this.#observer = observer;
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

  /** One page is read ahead, and no more. Ending the iteration early releases the snapshot. */
  async *export(account: AccountNumber): AsyncGenerator<readonly Plant[], void> {
    const number = ++this.#exports;
    const begin = { kind: "export", account, export: number } as const;
    const more = { kind: "export-more", export: number } as const;
    try {
      let page = await this.#exportPages.run(account, () => this.#exporting.ask(begin));
      while (page.length > 0) {
        const next = this.#exportPages.run(account, () => this.#exporting.ask(more));
        next.catch(() => undefined);
        yield page;
        page = await next;
      }
    } finally {
      if (this.#exporting.isStarted) await this.#exporting.ask({ kind: "export-end", export: number });
    }
  }

  close(): void {
    this.#searching.close();
    this.#exporting.close();
  }
}
