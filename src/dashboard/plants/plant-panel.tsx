import { Group, Skeleton, Stack, Text } from "@mantine/core";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { parsePlantId } from "#contract/plant-id.ts";
import { useAnswer } from "../api/asking.ts";
import { Action } from "../components/action.tsx";
import { Answered } from "../components/answered.tsx";
import { SidePanel } from "../components/dialog.tsx";
import { useMay } from "../session/session.ts";
import { excerpt } from "../text/sentence.ts";
import { PlantAdder } from "./plant-adder.tsx";
import { isUnknownPlant } from "./plant-data.ts";
import { PlantView } from "./plant-details.tsx";
import { PlantEditor } from "./plant-editor.tsx";
import { PlantElsewhere } from "./plant-elsewhere.tsx";
import { typedTexts } from "./plant-fields.tsx";
import { PlantHistory, RemovedBy, usePlantHistory } from "./plant-history.tsx";

/** It is opened rarely, and loaded when it is. */
const LabelsDialog = lazy(async () => ({ default: (await import("../program/rare-parts.ts")).LabelsDialog }));

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
          <LabelButton id={id} />
          <PlantHistory
            id={known.id}
            now={known}
            restore={({ client }, texts) => client.change(known.id, typedTexts(texts), { ifMatch: known.etag })}
            onRestored={plant.refetch}
          />
        </>
      )}
    </Answered>
  );
}

/** Prints the label of this plant alone. */
function LabelButton({ id }: { readonly id: string }) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Group mt="md">
        <Action label="Print a label" size="xs" onClick={() => setOpened(true)} />
      </Group>
      <Suspense>{opened && <LabelsDialog ids={new Set([id])} onClose={() => setOpened(false)} />}</Suspense>
    </>
  );
}

function MissingPlant({ id, onRestored }: { readonly id: bigint; readonly onRestored: () => unknown }) {
  return (
    <>
      <PlantElsewhere id={id} />
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
