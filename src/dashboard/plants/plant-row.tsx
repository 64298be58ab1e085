import { Checkbox, Table, Text, UnstyledButton } from "@mantine/core";
import type { StoredPlant } from "#client/plant.ts";
import { RelativeTime } from "../relative-time.tsx";
import { PlantName } from "./plant-name.tsx";
import type { Selection } from "./selection.ts";
import { TagBadge } from "./tag-badge.tsx";

interface PlantRowProps {
  readonly plant: StoredPlant;
  readonly selection: Selection;
  readonly onOpen: (id: string) => void;
  readonly onTag: (tag: string) => void;
}

/** Where it is narrow, id and tag stand below the name. */
export function PlantRow({ plant, selection, onOpen, onTag }: PlantRowProps) {
  const id = String(plant.id);
  const tag = plant.tag === undefined ? null : <TagBadge tag={plant.tag} onClick={() => onTag(plant.tag ?? "")} />;
  const selected = selection.ids.has(id);
  return (
    <Table.Tr className="plant-row" bg={selected ? "var(--mantine-color-leaf-light)" : undefined}>
      <Table.Td>
        <Checkbox aria-label={`Select ${plant.name || id}`} checked={selected} onChange={() => selection.toggle(id)} />
      </Table.Td>
      <Table.Td visibleFrom="sm" ff="monospace" fz="sm">
        {id}
      </Table.Td>
      <Table.Td>
        <UnstyledButton className="row-link" onClick={() => onOpen(id)}>
          <PlantName name={plant.name} />
        </UnstyledButton>
        <Text component="div" size="xs" c="dimmed" hiddenFrom="sm" ff="monospace">
          {id} {tag}
        </Text>
      </Table.Td>
      <Table.Td visibleFrom="sm">{tag}</Table.Td>
      <Table.Td visibleFrom="md">
        <RelativeTime at={plant.createdAt} focusable={false} />
      </Table.Td>
    </Table.Tr>
  );
}
