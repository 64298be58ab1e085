import { Skeleton, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { parsePlantId } from "#contract/plant-id.ts";
import { useAnswer } from "../api/asking.ts";
import { Answered } from "../components/answered.tsx";
import { SidePanel } from "../components/dialog.tsx";
import { useMay } from "../session/session.ts";
import { excerpt } from "../text/sentence.ts";
import { PlantAdder } from "./plant-adder.tsx";
import { isUnknownPlant } from "./plant-data.ts";
import { PlantView } from "./plant-details.tsx";
import { PlantEditor } from "./plant-editor.tsx";
import { PlantHistory, RemovedBy, usePlantHistory } from "./plant-history.tsx";

interface PlantPanelProps {
  /** The plant to read and edit; one is added if there is none. */
  readonly id: string | undefined;
  readonly onClose: () => void;
}

export function PlantPanel({ id, onClose }: PlantPanelProps) {
  return (
    <SidePanel onClose={onClose} size={440} title={id === undefined ? "Add plant" : <PlantTitle id={id} />}>
      {id === undefined ? (
        <PlantAdder onClose={onClose} />
      ) : (
        <PlantReader key={id} id={id} onClose={onClose} onSaved={onClose} />
      )}
    </SidePanel>
  );
}

/** The plant's name, also of one that was removed; its id where it has none, or while it is read. */
export function usePlantTitle(id: string): string {
  const plant = usePlant(id);
  const isRemoved = isUnknownPlant(plant.error) && !plant.data;
  const history = usePlantHistory(parsePlantId(id) ?? 0n, isRemoved);
  const name = plant.data?.name ?? (isRemoved ? history.data?.pages[0]?.events[0]?.plant?.name : undefined);
  return name?.trim() ? excerpt(name) : `Plant ${id}`;
}

function PlantTitle({ id }: { readonly id: string }): ReactNode {
  return (
    <bdi translate="no" className="breaks">
      {usePlantTitle(id)}
    </bdi>
  );
}

function usePlant(id: string) {
  const exact = parsePlantId(id);
  return useAnswer(["plant", id], ({ client }, signal) => client.get(exact ?? 0n, { signal }), {
    enabled: exact !== undefined,
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
}

interface PlantReaderProps {
  readonly id: string;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

export function PlantReader({ id, onClose, onSaved }: PlantReaderProps) {
  const exact = parsePlantId(id);
  const may = useMay()("change plants");
  const plant = usePlant(id);
  if (exact === undefined) return <Text role="alert">{id} is not an id.</Text>;
  const shape = (
    <Stack>
      <Skeleton h={60} />
      <Skeleton h={60} />
      <Skeleton h={90} />
    </Stack>
  );
  if (isUnknownPlant(plant.error) && !plant.data) return <MissingPlant id={exact} onRestored={plant.refetch} />;
  return (
    <Answered query={plant} data={plant.data} shape={shape}>
      {(known) => (
        <>
          {may ? (
            <PlantEditor plant={known} onReload={plant.refetch} onClose={onClose} onSaved={onSaved} />
          ) : (
            <PlantView plant={known} />
          )}
          <PlantHistory
            id={known.id}
            now={known}
            restore={({ client }, { name, tag = null }) =>
              client.change(known.id, { name, tag }, { ifMatch: known.etag })
            }
            onRestored={plant.refetch}
          />
        </>
      )}
    </Answered>
  );
}

function MissingPlant({ id, onRestored }: { readonly id: bigint; readonly onRestored: () => unknown }) {
  return (
    <>
      <RemovedBy id={id} />
      <PlantHistory
        id={id}
        now={undefined}
        restore={({ client }, texts) => client.create({ id, ...texts })}
        onRestored={onRestored}
      />
    </>
  );
}
