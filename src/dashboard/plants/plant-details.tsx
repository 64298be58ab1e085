import type { StoredPlant } from "#client/plant.ts";
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
  const { name, tag } = plant;
  const shown = {
    Name: <bdi translate="no">{excerpt(name)}</bdi>,
    Tag: tag && <bdi translate="no">{excerpt(tag)}</bdi>,
  };
  return <DetailsList of={{ ...shown, ...detailsOf(plant) }} />;
}
