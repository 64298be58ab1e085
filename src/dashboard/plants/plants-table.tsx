import { Checkbox, Table, Text, UnstyledButton } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { memo, type RefObject, startTransition, useEffect, useRef, useState } from "react";
import type { StoredPlant } from "#client/plant.ts";
import { CutButton } from "../components/hint.tsx";
import { Icon } from "../components/icon.tsx";
import { isOfRow, RowName } from "../components/list.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { excerpt } from "../text/sentence.ts";
import type { PlantOrder } from "./matching-plants.ts";
import { addedKey } from "./plants-list.ts";
import type { Selection } from "./selection-bar.tsx";

/** Id and tag are below the name on narrow screens. */
const ROW_HEIGHT = 45;
const ROW_HEIGHT_NARROW = 65;
const WIDE = "(min-width: 48em)";
/** Rows beyond the window on either side, so that scrolling shows no gaps. */
const MARGIN_ROWS = 15;

interface PlantsTableProps {
  readonly plants: readonly StoredPlant[];
  /** Says who added each plant, by its `addedKey`, as far as that is known. */
  readonly creators: ReadonlyMap<string, string>;
  readonly selection: Selection | undefined;
  readonly order: PlantOrder | undefined;
  /** Undefined for a list that has one order. */
  readonly onOrder: ((order: PlantOrder) => void) | undefined;
  readonly onOpen: (id: string) => void;
  readonly onTag: (tag: string) => void;
}

/** Rows of one height, of which only the visible ones are drawn. */
export function PlantsTable({ plants, creators, selection, order, onOrder, onOpen, onTag }: PlantsTableProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const wide = useMediaQuery(WIDE, true, { getInitialValueInEffect: false });
  const rowHeight = wide ? ROW_HEIGHT : ROW_HEIGHT_NARROW;
  const { first, end } = useVirtualRows(body, plants.length, rowHeight);
  // Those of narrow screens: a spacer over more would add columns, which take their share of the width.
  const columns = selection ? 2 : 1;
  const ids = plants.map(({ id }) => String(id));
  const all = ids.length > 0 && ids.every((id) => selection?.ids.has(id));
  const sorted = (
    title: string,
    own: "id" | "-created_at" | "name" | "tag",
    width?: number | string,
    from?: "sm" | "md",
  ) => {
    const isDown = order === `-${own}` || own === "-created_at";
    const isActive = order === own || order === `-${own}`;
    // Names and tags turn around; the others have one order.
    const next = (own === "name" || own === "tag") && order === own ? (`-${own}` as const) : own;
    return (
      <Table.Th
        visibleFrom={from}
        w={width}
        py={8}
        aria-sort={isActive ? (isDown ? "descending" : "ascending") : undefined}
      >
        <SortButton {...{ title, isActive, isDown }} onClick={onOrder && (() => onOrder(next))} />
      </Table.Th>
    );
  };
  return (
    <Table
      aria-label="Plants"
      aria-rowcount={plants.length + 1}
      className="plants-table"
      highlightOnHover
      layout="fixed"
      verticalSpacing={0}
    >
      <Table.Thead>
        <Table.Tr aria-rowindex={1}>
          {selection && (
            <Table.Th w={44} py={8}>
              <Checkbox
                aria-label="Select all loaded plants"
                checked={all}
                indeterminate={!all && selection.ids.size > 0}
                onChange={() => selection.set(all ? [] : ids)}
              />
            </Table.Th>
          )}
          {sorted("Id", "id", 210, "sm")}
          {sorted("Name", "name")}
          {sorted("Tag", "tag", "22%", "sm")}
          {sorted("Added", "-created_at", 150, "md")}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody ref={body}>
        <Spacer height={first * rowHeight} columns={columns} />
        {plants.slice(first, end).map((plant, index) => (
          <PlantRow
            key={String(plant.id)}
            rowIndex={first + index + 2}
            plant={plant}
            creator={creators.get(addedKey(plant))}
            wide={wide}
            selected={selection?.ids.has(String(plant.id)) === true}
            onToggle={selection?.toggle}
            onOpen={onOpen}
            onTag={onTag}
          />
        ))}
        <Spacer height={(plants.length - end) * rowHeight} columns={columns} />
      </Table.Tbody>
    </Table>
  );
}

interface SortButtonProps {
  readonly title: string;
  readonly isActive: boolean;
  readonly isDown: boolean;
  /** Undefined where the rows are not sorted. */
  readonly onClick: (() => void) | undefined;
}

function SortButton({ title, isActive, isDown, onClick }: SortButtonProps) {
  if (!onClick) return title;
  return (
    <UnstyledButton className="sort" data-active={isActive || undefined} onClick={onClick}>
      {title} <Icon name={isDown ? "down" : "up"} size={14} />
    </UnstyledButton>
  );
}

function Spacer({ height, columns }: { readonly height: number; readonly columns: number }) {
  if (height <= 0) return null;
  return (
    <tr>
      <td colSpan={columns} style={{ height, padding: 0 }} />
    </tr>
  );
}

interface PlantRowProps extends Pick<PlantsTableProps, "onOpen" | "onTag"> {
  readonly rowIndex: number;
  readonly plant: StoredPlant;
  readonly creator: string | undefined;
  readonly wide: boolean;
  readonly selected: boolean;
  readonly onToggle: ((id: string) => void) | undefined;
}

const PlantRow = memo(function PlantRow(props: PlantRowProps) {
  const { rowIndex, plant, creator, wide, selected, onToggle, onOpen, onTag } = props;
  const id = String(plant.id);
  const name = excerpt(plant.name) || id;
  const tag = plant.tag === undefined ? null : <Tag tag={plant.tag} onClick={onTag} />;
  return (
    <Table.Tr
      aria-rowindex={rowIndex}
      className="plant-row"
      // One height for all rows, as those that are not drawn are counted with.
      h={wide ? ROW_HEIGHT : ROW_HEIGHT_NARROW}
      style={{ cursor: "pointer" }}
      data-selected={selected || undefined}
      onClick={(event) => isOfRow(event) && onOpen(id)}
    >
      {onToggle && (
        <Table.Td>
          <Checkbox aria-label={`Select ${name}`} checked={selected} onChange={() => onToggle(id)} />
        </Table.Td>
      )}
      {wide && (
        <Table.Td translate="no" className="mono cut">
          {id}
        </Table.Td>
      )}
      <Table.Td>
        <RowName name={plant.name} onOpen={() => onOpen(id)} />
        {!wide && (
          <Text component="div" translate="no" size="xs" c="dimmed" className="mono cut">
            {id} {tag}
          </Text>
        )}
      </Table.Td>
      {wide && <Table.Td className="cut">{tag}</Table.Td>}
      <Table.Td visibleFrom="md" c="dimmed">
        <RelativeTime at={plant.createdAt} focusable={false} dated />
        {creator && (
          <Text component="div" size="xs" className="cut" title={creator}>
            by <bdi translate="no">{creator}</bdi>
          </Text>
        )}
      </Table.Td>
    </Table.Tr>
  );
});

function Tag({ tag, onClick }: { readonly tag: string; readonly onClick: (tag: string) => void }) {
  const label = tag === "" ? "Show plants with the empty tag" : `Show plants tagged ${excerpt(tag)}`;
  return (
    <CutButton
      className="tag"
      translate={tag === "" ? undefined : "no"}
      text={tag}
      dir="auto"
      aria-label={label}
      onClick={() => onClick(tag)}
    >
      {tag === "" ? "(empty)" : excerpt(tag)}
    </CutButton>
  );
}

interface VirtualRows {
  /** The rows to draw start at `first` and end before `end`. */
  readonly first: number;
  readonly end: number;
}

export function rowsInView(count: number, rowHeight: number, top: number, windowHeight: number): VirtualRows {
  const first = Math.max(0, Math.floor(-top / rowHeight) - MARGIN_ROWS);
  const end = Math.min(count, Math.ceil((windowHeight - top) / rowHeight) + MARGIN_ROWS);
  return { first: Math.min(first, Math.max(0, end - 1)), end: Math.max(end, 0) };
}

function useVirtualRows(body: RefObject<HTMLElement | null>, count: number, rowHeight: number): VirtualRows {
  // Only a window's rows at first; those beyond are drawn once these are seen.
  const [rows, setRows] = useState<VirtualRows>(() => ({
    first: 0,
    end: Math.min(count, Math.ceil(innerHeight / rowHeight)),
  }));
  useEffect(() => {
    const look = () => {
      const top = body.current?.getBoundingClientRect().top ?? 0;
      const seen = rowsInView(count, rowHeight, top, innerHeight);
      setRows((before) => (before.first === seen.first && before.end === seen.end ? before : seen));
    };
    // A frame later the browser lays the rows out by itself, and not within the task that drew them.
    const frame = requestAnimationFrame(() => startTransition(look));
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, [body, count, rowHeight]);
  return rows;
}
