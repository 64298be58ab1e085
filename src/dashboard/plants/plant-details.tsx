import type { StoredPlant } from "#client/plant.ts";
import { PLANT_MEMBERS } from "#contract/plant-members.ts";
import { CopiedCode } from "../components/copy-button.tsx";
import { DetailsList } from "../components/details.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { excerpt } from "../text/sentence.ts";

export function detailsOf({ id, createdAt, updatedAt }: StoredPlant) {
  return {
    Id: <CopiedCode value={String(id)} what="id" />,
    Added: <RelativeTime at={createdAt} />,
    Changed: <RelativeTime at={updatedAt} />,
  };
}

/** Shows a plant to readers who may not change it. */
export function PlantView({ plant }: { readonly plant: StoredPlant }) {
  const shown = PLANT_MEMBERS.map(({ name, label, isRequired }) => {
    const text = plant[name] ?? "";
    return [label, (isRequired || text) && <bdi translate="no">{excerpt(text)}</bdi>] as const;
  });
  return <DetailsList of={{ ...Object.fromEntries(shown), ...detailsOf(plant) }} />;
}
