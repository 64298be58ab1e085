import { PAGE_IDS_MAX } from "#client/page.ts";
import type { PlantstoreClient } from "#client/plantstore-client.ts";
import { forEachPlant } from "./plant-data.ts";

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

/** Gives the plants their tags back. One whose tag somebody has changed since keeps that. */
export async function undoTagChange(client: PlantstoreClient, { tag, before }: TagChange): Promise<void> {
  const now = await tagsOf(client, [...before.keys()]);
  const changed = [...before].filter(([id, former]) => former !== tag && now.get(id) === tag).map(([id]) => id);
  const restore = (id: bigint) => client.change(id, { tag: before.get(String(id)) ?? null });
  const { failed, cause } = await forEachPlant(changed, restore, () => {});
  if (failed.length > 0) throw cause;
}
