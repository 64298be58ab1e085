import { Checkbox, Table } from "@mantine/core";
import type { StoredPlant } from "#client/plant.ts";
import { PlantRow } from "./plant-row.tsx";
import type { Selection } from "./selection.ts";

interface PlantsTableProps {
  readonly plants: readonly StoredPlant[];
  readonly selection: Selection;
  readonly onOpen: (id: string) => void;
  readonly onTag: (tag: string) => void;
}

export function PlantsTable({ plants, selection, onOpen, onTag }: PlantsTableProps) {
  const ids = plants.map(({ id }) => String(id));
  const all = ids.length > 0 && ids.every((id) => selection.ids.has(id));
  return (
    <Table aria-label="Plants" className="figures" highlightOnHover layout="fixed" verticalSpacing={8}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={44}>
            <Checkbox
              aria-label="Select all that are shown"
              checked={all}
              indeterminate={!all && selection.ids.size > 0}
              onChange={() => selection.set(all ? [] : ids)}
            />
          </Table.Th>
          <Table.Th visibleFrom="sm" w={210}>
            Id
          </Table.Th>
          <Table.Th>Name</Table.Th>
          <Table.Th visibleFrom="sm" w={180}>
            Tag
          </Table.Th>
          <Table.Th visibleFrom="md" w={150}>
            Added
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {plants.map((plant) => (
          <PlantRow key={String(plant.id)} plant={plant} selection={selection} onOpen={onOpen} onTag={onTag} />
        ))}
      </Table.Tbody>
    </Table>
  );
}
