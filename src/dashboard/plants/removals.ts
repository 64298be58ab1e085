import type { QueryClient } from "@tanstack/react-query";
import { PlantstoreError } from "#client/error.ts";
import { ERROR_NUMBERS } from "#contract/error-numbers.ts";
import { RequestFailure } from "../api/failure.ts";
import type { ServiceClient } from "../api/service-client.ts";
import { Signal } from "../api/signal.ts";
import { plantsChanged } from "./plant-data.ts";

/**
 * Plants that the reader removes, and what can be done about it.
 *
 * - `asked`: the service keeps no events, so nothing could be restored, and the reader is asked first
 * - `removing`: they are hidden, and the request that removes them is under way
 * - `removed`: they are gone from the store, and can be restored
 * - `restoring`: they are added again as they were
 * - `failed`: the service refused, or did not answer; `again` tries it once more
 */
export type Removal = { readonly ids: readonly string[] } & (
  | { readonly state: "asked" | "removing" | "restoring" }
  | { readonly state: "removed"; readonly since: string }
  | { readonly state: "failed"; readonly cause: unknown; readonly act: "removed" | "restored"; again(): void }
);

/** True while leaving the page would cut a request off. */
export function isUnderWay(removal: Removal | undefined): boolean {
  return removal?.state === "removing" || removal?.state === "restoring";
}

/** The ids of the plants that lists show no more, whatever was read before. */
export function hiddenIds(removal: Removal | undefined): ReadonlySet<string> {
  const isHiding = removal?.state === "removing" || removal?.state === "removed";
  return new Set(isHiding ? removal.ids : []);
}

export class Removals {
  readonly current = new Signal<Removal | undefined>(undefined);
  readonly #service: ServiceClient;
  readonly #queries: QueryClient;
  #acting: Promise<void> = Promise.resolve();

  constructor(service: ServiceClient, queries: QueryClient) {
    this.#service = service;
    this.#queries = queries;
  }

  /** Removes the plants by one request, once an earlier one is answered. Resolves when that is done, or has failed. */
  remove(ids: readonly string[]): Promise<void> {
    return this.#next(async () => {
      this.current.set({ ids, state: "removing" });
      await this.#try("removed", ids, async () => {
        const since = await this.#latestEvent();
        if (since === undefined) this.current.set({ ids, state: "asked" });
        else await this.#remove(ids, since);
      });
    });
  }

  /** Removes, once the reader has agreed, plants that the service cannot restore. */
  removeForGood(): Promise<void> {
    return this.#next(async () => {
      const removal = this.current.get();
      if (removal?.state !== "asked") return;
      await this.#try("removed", removal.ids, () => this.#remove(removal.ids, undefined));
    });
  }

  /** Adds the plants again as they were when they were removed. */
  undo(): Promise<void> {
    return this.#next(async () => {
      const removal = this.current.get();
      if (removal?.state === "removed") await this.#restore(removal.ids, removal.since);
    });
  }

  /** Resolves when no request is under way: a plant that is added may have the id of one that is being removed. */
  settled(): Promise<void> {
    return this.#acting;
  }

  dismiss(): void {
    this.current.set(undefined);
  }

  #next(act: () => Promise<void>): Promise<void> {
    this.#acting = this.#acting.then(act);
    return this.#acting;
  }

  async #try(act: "removed" | "restored", ids: readonly string[], attempt: () => Promise<void>): Promise<void> {
    try {
      await attempt();
    } catch (cause) {
      const again = () => void this.#next(() => this.#try(act, ids, attempt));
      this.current.set({ ids, state: "failed", cause, act, again });
      await plantsChanged(this.#queries);
    }
  }

  /** The id of the newest event; undefined if the service keeps no events. */
  async #latestEvent(): Promise<string | undefined> {
    try {
      return (await this.#service.client.eventPage({ cursor: "latest", limit: 1 })).nextCursor;
    } catch (error) {
      if (error instanceof PlantstoreError && error.error === ERROR_NUMBERS["address-unknown"]) return undefined;
      throw error;
    }
  }

  async #remove(ids: readonly string[], since: string | undefined): Promise<void> {
    this.current.set({ ids, state: "removing" });
    // One that somebody else has removed is counted as missing, which is as good.
    await this.#service.sendLines("/v1/plants/remove", ids);
    await plantsChanged(this.#queries);
    this.current.set(since === undefined ? undefined : { ids, state: "removed", since });
  }

  #restore(ids: readonly string[], since: string): Promise<void> {
    return this.#try("restored", ids, async () => {
      this.current.set({ ids, state: "restoring" });
      const left = new Set(ids);
      let page: { readonly nextCursor: string; readonly hasMore: boolean } = { nextCursor: since, hasMore: true };
      while (page.hasMore && left.size > 0) page = await this.#restorePage(page.nextCursor, left);
      await plantsChanged(this.#queries);
      this.dismiss();
    });
  }

  /** Adds those of the plants that a page of the feed has, and takes them from `left`. */
  async #restorePage(cursor: string, left: Set<string>) {
    const { client } = this.#service;
    const page = await client.eventPage({ cursor, types: ["plant.removed"], limit: 1000 });
    const plants = page.events.flatMap(({ plantId, plant }) => (plant && left.delete(String(plantId)) ? [plant] : []));
    if (plants.length === 0) return page;
    const { failed, refused } = await client.importPlants(plants);
    const [first] = refused;
    if (failed > 0 && first) throw new RequestFailure(409, first.error, first.message, undefined);
    return page;
  }
}
