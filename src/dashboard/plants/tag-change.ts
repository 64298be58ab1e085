import { PAGE_IDS_MAX } from "#client/page.ts";
import type { PlantstoreClient } from "#client/plantstore-client.ts";
import { forEachPlant, isChangedPlant } from "./plant-data.ts";

/** A tag that was set for several plants at once, and their tags before, by their ids; null for none. */
export interface TagChange {
  readonly tag: string | null;
  readonly before: ReadonlyMap<string, string | null>;
}

export async function tagsOf(client: PlantstoreClient, ids: readonly string[]): Promise<TagChange["before"]> {
  const tags = new Map<string, string | null>();
  for (let at = 0; at < ids.length; at += PAGE_IDS_MAX) {
    const { plants } = await client.page({ ids: ids.slice(at, at + PAGE_IDS_MAX).map(BigInt) });
    for (const { id, tag } of plants) tags.set(String(id), tag ?? null);
  }
  return tags;
}

/** Gives the plants their tags back. One that somebody has changed since, or changes meanwhile, keeps its tag. */
export async function undoTagChange(client: PlantstoreClient, { tag, before }: TagChange): Promise<void> {
  const changed = [...before].filter(([, former]) => former !== tag).map(([id]) => id);
  const restore = async (id: bigint) => {
    const { tag: now, etag = "" } = await client.get(id);
    if ((now ?? null) !== tag) return;
    await client.change(id, { tag: before.get(String(id)) ?? null }, { ifMatch: etag }).catch((error) => {
      if (!isChangedPlant(error)) throw error;
    });
  };
  const { failed, cause } = await forEachPlant(changed, restore, () => {});
  if (failed.length > 0) throw cause;
}
