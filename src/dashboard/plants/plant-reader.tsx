import { Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { parsePlantId } from "#contract/plant-id.ts";
import { plantsClient } from "../api/plants-client.ts";
import { FailureNotice } from "../failure-notice.tsx";
import { PlantEditor } from "./plant-editor.tsx";

/** Fetches the plant whose id stands in the address. */
export function PlantReader({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const exact = parsePlantId(id.trim());
  const plant = useQuery({
    queryKey: ["plant", id],
    queryFn: ({ signal }) => plantsClient.get(exact ?? 0n, { signal }),
    enabled: exact !== undefined,
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
  if (exact === undefined) return <FailureNotice cause={new Error(`${id} is no id`)} />;
  if (plant.data) return <PlantEditor plant={plant.data} onReload={() => plant.refetch()} onClose={onClose} />;
  if (plant.error) return <FailureNotice cause={plant.error} retry={() => plant.refetch()} />;
  return (
    <Stack className="late" aria-busy="true">
      <Skeleton h={60} />
      <Skeleton h={60} />
      <Skeleton h={90} />
    </Stack>
  );
}
