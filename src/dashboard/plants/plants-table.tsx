import { Checkbox, Table, Text, UnstyledButton } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { memo, useRef } from "react";
import type { StoredPlant } from "#client/plant.ts";
import { CutButton } from "../components/cut-button.tsx";
import { Icon } from "../components/icon.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { PlantName, Tag } from "./plant-text.tsx";
import type { PlantsAddress } from "./plants-address.ts";
import type { Selection } from "./selection.ts";
import { useVirtualRows } from "./virtual-rows.ts";

/** The same as in own.css; id and tag are below the name on narrow screens. */
const ROW_HEIGHT = 45;
const ROW_HEIGHT_NARROW = 65;
const WIDE = "(min-width: 48em)";

interface PlantsTableProps {
  readonly plants: readonly StoredPlant[];
  readonly selection: Selection;
  readonly order: PlantsAddress["order"];
  readonly onOrder: (order: PlantsAddress["order"]) => void;
  readonly onOpen: (id: string) => void;
  readonly onTag: (tag: string) => void;
}

/** Rows of one height, of which only the visible ones are drawn. */
export function PlantsTable({ plants, selection, order, onOrder, onOpen, onTag }: PlantsTableProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const wide = useMediaQuery(WIDE, true, { getInitialValueInEffect: false });
  const rowHeight = wide ? ROW_HEIGHT : ROW_HEIGHT_NARROW;
  const { first, end } = useVirtualRows(body, plants.length, rowHeight);
  const ids = plants.map(({ id }) => String(id));
  const all = ids.length > 0 && ids.every((id) => selection.ids.has(id));
  return (
    <Table
      aria-label="Plants"
      aria-rowcount={plants.length + 1}
      className="figures plants-table"
      highlightOnHover
      layout="fixed"
      verticalSpacing={0}
    >
      <Table.Thead>
        <Table.Tr aria-rowindex={1}>
          <Table.Th w={44}>
            <Checkbox
              aria-label="Select all loaded plants"
              checked={all}
              indeterminate={!all && selection.ids.size > 0}
              onChange={() => selection.set(all ? [] : ids)}
            />
          </Table.Th>
          <SortedHeader title="Id" width={210} from="sm" own="id" order={order} onOrder={onOrder} />
          <Table.Th>Name</Table.Th>
          <Table.Th visibleFrom="sm" w="22%">
            Tag
          </Table.Th>
          <SortedHeader title="Added" width={150} from="md" own="-created_at" order={order} onOrder={onOrder} />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody ref={body}>
        <Spacer height={first * rowHeight} />
        {plants.slice(first, end).map((plant, index) => (
          <PlantRow
            key={String(plant.id)}
            rowIndex={first + index + 2}
            plant={plant}
            wide={wide}
            selected={selection.ids.has(String(plant.id))}
            onToggle={selection.toggle}
            onOpen={onOpen}
            onTag={onTag}
          />
        ))}
        <Spacer height={(plants.length - end) * rowHeight} />
      </Table.Tbody>
    </Table>
  );
}

/** Takes the space of the rows that are not drawn. */
function Spacer({ height }: { readonly height: number }) {
  if (height <= 0) return null;
  return (
    <tr>
      {/* No wider than the columns of narrow screens: more of them would take their share of the width. */}
      <td colSpan={2} style={{ height, padding: 0 }} />
    </tr>
  );
}

interface SortedHeaderProps {
  readonly title: string;
  readonly width: number;
  readonly from: "sm" | "md";
  readonly own: PlantsAddress["order"];
  readonly order: PlantsAddress["order"];
  readonly onOrder: (order: PlantsAddress["order"]) => void;
}

function SortedHeader({ title, width, from, own, order, onOrder }: SortedHeaderProps) {
  const active = order === own;
  const direction = own === "id" ? "ascending" : "descending";
  return (
    <Table.Th visibleFrom={from} w={width} aria-sort={active ? direction : undefined}>
      <UnstyledButton className="sort" data-active={active || undefined} onClick={() => onOrder(own)}>
        {title} <Icon name={own === "id" ? "up" : "down"} size={14} />
      </UnstyledButton>
    </Table.Th>
  );
}

interface PlantRowProps {
  readonly rowIndex: number;
  readonly plant: StoredPlant;
  readonly wide: boolean;
  readonly selected: boolean;
  readonly onToggle: (id: string) => void;
  readonly onOpen: (id: string) => void;
  readonly onTag: (tag: string) => void;
}

const PlantRow = memo(function PlantRow(props: PlantRowProps) {
  const { rowIndex, plant, wide, selected, onToggle, onOpen, onTag } = props;
  const id = String(plant.id);
  const tag = plant.tag === undefined ? null : <Tag tag={plant.tag} onClick={() => onTag(plant.tag ?? "")} />;
  return (
    <Table.Tr aria-rowindex={rowIndex} className="plant-row" data-selected={selected || undefined}>
      <Table.Td>
        <Checkbox aria-label={`Select ${plant.name || id}`} checked={selected} onChange={() => onToggle(id)} />
      </Table.Td>
      {wide && <Table.Td className="mono cut">{id}</Table.Td>}
      <Table.Td>
        <CutButton className="row-link cut" text={plant.name} dir="auto" onClick={() => onOpen(id)}>
          <PlantName name={plant.name} />
        </CutButton>
        {!wide && (
          <Text component="div" size="xs" c="dimmed" className="mono cut">
            {id} {tag}
          </Text>
        )}
      </Table.Td>
      {wide && <Table.Td className="cut">{tag}</Table.Td>}
      <Table.Td visibleFrom="md" c="dimmed">
        <RelativeTime at={plant.createdAt} focusable={false} />
      </Table.Td>
    </Table.Tr>
  );
});
