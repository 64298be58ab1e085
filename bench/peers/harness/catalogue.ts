/** A million plants with names as a nursery writes them, the same for every system, and parts of names to search for. */

export const plantsInCatalogue = 1_000_000;

const genera =
  "Abelia Acer Agave Aloe Alocasia Anthurium Aucuba Begonia Berberis Bergenia Buddleja Buxus Calathea Camellia Ceanothus Clematis Cornus Dahlia Daphne Epimedium Euphorbia Ficus Fuchsia Geranium Hedera Helleborus Heuchera Hosta Hoya Hydrangea Ilex Iris Jasminum Lavandula Lonicera Magnolia Mahonia Monstera Paeonia Peperomia Philodendron Pieris Primula Rhododendron Rosa Salvia Sedum Syringa Viburnum Wisteria".split(
    " ",
  );
const epithets =
  "alba alpina aurea australis bicolor caerulea canina chinensis cordata davidii deliciosa elegans floribunda fragrans gigantea glabra gracilis grandiflora hybrida japonica lanceolata longifolia macrophylla maculata major minor montana nana officinalis orientalis palmata parviflora pendula procera pumila repens rotundifolia sempervirens spectabilis vulgaris".split(
    " ",
  );
const cultivars =
  "Alba,Aurora,Black Pearl,Blue Star,Burgundy,Candy Floss,Crimson King,Dark Lord,Emerald,Firefly,Gold Dust,Halo,Ivory Prince,Jade,Lemon Queen,Midnight,Moonbeam,Nana,Obsidian,Pink Perfection,Rubra,Silver Lining,Snow White,Sunrise,Variegata".split(
    ",",
  );
const potCentimetres = Array.from({ length: 20 }, (_, step) => 9 + step);
const tags = ["indoor", "outdoor", "shade", "sun", "tree"];

/** A prime, so that its multiples visit every number below a million once and equal genera are far apart. */
const stride = 7_654_321;
const rareEvery = 100_000;
const rareCultivar = "Thai Constellation";

export interface CataloguePlant {
  id: number;
  name: string;
  tag: string;
}

/** The plant at a position from 0; its id is the position plus 1. */
export function cataloguePlant(position: number): CataloguePlant {
  let rest = (position * stride) % plantsInCatalogue;
  const take = <Item>(items: readonly Item[]): Item => {
    const item = items[rest % items.length] as Item;
    rest = Math.floor(rest / items.length);
    return item;
  };
  const [genus, epithet, cultivar, pot] = [take(genera), take(epithets), take(cultivars), take(potCentimetres)];
  const shown = position % rareEvery === rareEvery / 2 ? rareCultivar : cultivar;
  return {
    id: position + 1,
    name: `${genus} ${epithet} '${shown}', ${pot} cm pot`,
    tag: tags[position % tags.length] ?? "tree",
  };
}

/** The number of plants on a page of every system's search. */
export const pageLength = 100;

/** The searched parts, with the number of plants that have each. */
export const searchedParts = {
  common: { part: "Monstera", plants: plantsInCatalogue / genera.length },
  rare: { part: "Constellation", plants: plantsInCatalogue / rareEvery },
  absent: { part: "Quercus", plants: 0 },
} as const;

export type PartKind = keyof typeof searchedParts;
