import { SORTED_PLANTS_MAX, type SortedOrder } from "#contract/dashboard/sorted-plants.ts";
import { Failure } from "#core/failure.ts";
import { fold } from "#core/fold.ts";
import { type AccountNumber, type Plant, textUnits } from "#core/plant.ts";
import type { PlantReads } from "#core/reads.ts";
import type { PlantChoice } from "#core/records.ts";
import type { InTurns } from "./in-turns.ts";

/** How much of a text is compared, and about how much text a page holds. A page has at least one plant. */
const MOST = { comparedUnits: 200, pageUnits: 4 * 1024 * 1024 } as const;

export interface SortedQuery extends PlantChoice {
  readonly order: SortedOrder;
  readonly limit: number;
  /** How many plants are before the page. */
  readonly offset: number;
}

interface SortedPlants {
  readonly plants: readonly Plant[];
  /** The offset of the next page; undefined at the end. */
  readonly next: number | undefined;
}

/** A plant's id and the text by which it is sorted; undefined for one without a tag, which comes last in either order. */
interface Key {
  readonly id: bigint;
  readonly text: string | undefined;
}

/** A page of what the filter finds, sorted by name or tag. Throws "address-malformed" if it finds too many plants. */
export async function* sortedPlants(
  plants: Pick<PlantReads, "list" | "find">,
  account: AccountNumber,
  query: SortedQuery,
): InTurns<SortedPlants> {
  const keys = yield* sortedKeys(plants, account, query);
  const found: Plant[] = [];
  let at = query.offset;
  for (let units = 0; at < keys.length && found.length < query.limit && units < MOST.pageUnits; at++) {
    const plant = await plants.find(account, keys[at]?.id ?? 0n);
    // One that was removed since is left out.
    if (!plant) continue;
    found.push(plant);
    units += textUnits(plant);
  }
  return { plants: found, next: at < keys.length ? at : undefined };
}

async function* sortedKeys(
  plants: Pick<PlantReads, "list">,
  account: AccountNumber,
  { order, q, tag }: SortedQuery,
): InTurns<readonly Key[]> {
  const keys: Key[] = [];
  const isByName = order.endsWith("name");
  let after: bigint | undefined;
  do {
    const page = await plants.list(account, { order: "-created_at", limit: SORTED_PLANTS_MAX, q, tag, after });
    for (const { id, name, tag } of page.plants) {
      keys.push({ id, text: (isByName ? name : tag)?.slice(0, MOST.comparedUnits) });
    }
    if (keys.length > SORTED_PLANTS_MAX) throw tooMany(isByName ? "name" : "tag");
    after = page.next;
    yield;
  } while (after !== undefined);
  return sorted(keys, order.startsWith("-"));
}

function tooMany(by: string): Failure {
  const most = SORTED_PLANTS_MAX.toLocaleString("en");
  return new Failure("address-malformed", `Cannot sort by ${by}: more than ${most} plants match; search for fewer`);
}

function sorted(keys: readonly Key[], descending: boolean): Key[] {
  const folded = keys.map(({ id, text }) => ({ id, text: text === undefined ? undefined : fold(text) }));
  const sign = descending ? -1 : 1;
  return folded.sort((a, b) => {
    if (a.text === undefined || b.text === undefined)
      return Number(a.text === undefined) - Number(b.text === undefined);
    return a.text === b.text ? Number(a.id > b.id) - Number(a.id < b.id) : sign * (a.text < b.text ? -1 : 1);
  });
}
