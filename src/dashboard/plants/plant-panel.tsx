import { Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { parsePlantId } from "#contract/plant-id.ts";
import { FailureNotice } from "../components/failure-notice.tsx";
import { SidePanel } from "../components/side-panel.tsx";
import { useService } from "../program/page-context.tsx";
import { PlantAdder } from "./plant-adder.tsx";
import { PlantEditor } from "./plant-editor.tsx";

interface PlantPanelProps {
  /** The plant to read and edit. */
  readonly id: string | undefined;
  readonly adding: boolean;
  readonly onClose: () => void;
}

/** The panel beside the list in which a plant is read, edited or added. */
export function PlantPanel({ id, adding, onClose }: PlantPanelProps) {
  const opened = id !== undefined || adding;
  return (
    <SidePanel opened={opened} onClose={onClose} size={440} title={adding ? "Add plant" : `Plant ${id ?? ""}`}>
      {adding && <PlantAdder onClose={onClose} />}
      {!adding && id !== undefined && <PlantReader key={id} id={id} onClose={onClose} />}
    </SidePanel>
  );
}

/** Fetches the plant whose id is in the address. */
function PlantReader({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { plants } = useService();
  const exact = parsePlantId(id);
  const plant = useQuery({
    queryKey: ["plant", id],
    queryFn: ({ signal }) => plants.get(exact ?? 0n, { signal }),
    enabled: exact !== undefined,
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
  if (exact === undefined) return <Text role="alert">{id} is not an id.</Text>;
  const failure = <FailureNotice cause={plant.error} retry={() => plant.refetch()} />;
  if (plant.data) {
    return (
      <>
        {failure}
        <PlantEditor plant={plant.data} onReload={() => plant.refetch()} onClose={onClose} />
      </>
    );
  }
  if (plant.error) return failure;
  return (
    <Stack className="late" aria-busy="true">
      <Skeleton h={60} />
      <Skeleton h={60} />
      <Skeleton h={90} />
    </Stack>
  );
}
