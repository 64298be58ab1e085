import { Checkbox, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { PlantstoreClient } from "#client/plantstore-client.ts";
import type { RemovedPlantPage } from "#contract/dashboard/plants.ts";
import { useChange, usePages } from "../api/asking.ts";
import { useAddress } from "../browser/address.ts";
import { Action } from "../components/action.tsx";
import { useAnnounce } from "../components/announcer.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { type Column, EmptyState, TableList } from "../components/list.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { useMay } from "../session/session.ts";
import { counted, formatNumber } from "../text/numbers.ts";
import { excerpt } from "../text/sentence.ts";
import { doerText } from "./doer-text.ts";
import { forEachPlant, PLANT_DATA, REMOVED_PATH } from "./plant-data.ts";
import { ClearSelection, useSelection } from "./selection-bar.tsx";

type Row = RemovedPlantPage["data"][number];

/** Adds removed plants again as they were. Resolves with the ids of those that could not be, and the last reason. */
function restorePlants(client: PlantstoreClient, removed: readonly Row[], onCount: (done: number) => void) {
  const events = new Map(removed.map(({ id, event }) => [id, event]));
  const restore = async (id: bigint) => {
    const { plant } = await client.event(events.get(String(id)) ?? "");
    if (plant) await client.create(plant);
  };
  return forEachPlant([...events.keys()], restore, onCount);
}

/** Removed plants whose ids are free, newest first, to be added again as they were. */
export function RemovedPlants() {
  const [, change] = useAddress();
  const announce = useAnnounce();
  const selection = useSelection();
  const may = useMay()("change plants");
  const [done, setDone] = useState(0);
  const list = usePages<RemovedPlantPage>(REMOVED_PATH, {});
  const rows = list.rows ?? [];
  const all = rows.map(({ id }) => id);
  const chosen = rows.filter(({ id }) => selection.ids.has(id));
  const restoring = useChange(
    async ({ client }, plants: readonly Row[]) => {
      setDone(0);
      const { failed, cause } = await restorePlants(client, plants, setDone);
      if (failed.length < plants.length) announce(`${counted(plants.length - failed.length, "plant")} restored`);
      return { failed, cause };
    },
    { changes: PLANT_DATA },
  );
  const { failed = [], cause = restoring.error } = restoring.data ?? {};
  const tick: Column<Row> = {
    title: "",
    w: 44,
    cell: ({ id, name }) => (
      <Checkbox
        aria-label={`Select ${excerpt(name) || id}`}
        checked={selection.ids.has(id)}
        onChange={() => selection.toggle(id)}
      />
    ),
  };
  const restore: Column<Row> = {
    title: "Restore",
    w: 92,
    ta: "end",
    cell: (row) => (
      <Action
        label="Restore"
        aria-label={`Restore ${excerpt(row.name) || row.id}`}
        size="compact-sm"
        disabled={restoring.isPending}
        onClick={() => restoring.mutate([row])}
      />
    ),
  };
  const shown: readonly Column<Row>[] = [
    {
      title: "Name",
      name: ({ name }) => name,
      wraps: true,
      remark: { of: (row) => <Remark row={row} /> },
    },
    {
      title: "Removed by",
      visibleFrom: "sm",
      w: "24%",
      className: "cut",
      cell: ({ by }) => <bdi translate="no">{doerText(by)}</bdi>,
    },
    { title: "Removed", w: 150, visibleFrom: "sm", c: "dimmed", cell: removedAt },
  ];
  return (
    <Stack gap="sm">
      <Group gap="sm" mih={34} className={chosen.length > 0 ? "selection-bar" : undefined}>
        <Text size="sm" c={chosen.length > 0 ? undefined : "dimmed"} role="status">
          {restoring.isPending && done > 0 && `${formatNumber(done)} restored`}
          {!restoring.isPending &&
            (chosen.length > 0 ? `${counted(chosen.length, "plant")} selected` : "Removed plants")}
        </Text>
        {chosen.length > 0 && (
          <>
            <ClearSelection selection={selection} />
            <Action label="Restore" size="xs" change={{ ...restoring, mutate: () => restoring.mutate(chosen) }} />
          </>
        )}
        {may && rows.length > 1 && chosen.length < rows.length && (
          <Action
            label={`Select all ${formatNumber(rows.length)}`}
            kind="quiet"
            size="xs"
            onClick={() => selection.set(all)}
          />
        )}
      </Group>
      <FailureNotice cause={cause} title={`${counted(Math.max(failed.length, 1), "plant")} could not be restored`} />
      <TableList
        {...list}
        empty={
          <EmptyState
            title="Nothing to restore"
            text="Removed plants are kept here for a while, and can be restored."
          />
        }
        label="Removed plants"
        layout="fixed"
        columns={may ? [tick, ...shown, restore] : shown}
        keyOf={({ event }) => event}
        onOpen={({ id }) => change({ plant: id })}
      />
    </Stack>
  );
}

/** The id and the tag; where it is narrow, who removed it and when, too. */
function Remark({ row }: { readonly row: Row }) {
  const { id, tag, by } = row;
  return (
    <>
      <Text component="div" translate="no" size="xs" className="mono cut" dir="auto">
        {[id, tag].filter(Boolean).join(", ")}
      </Text>
      <Text component="div" hiddenFrom="sm" size="xs">
        <bdi translate="no">{doerText(by)}</bdi>
        {by && ", "}
        {removedAt(row)}
      </Text>
    </>
  );
}

function removedAt({ removed_at }: Row) {
  return <RelativeTime at={removed_at} focusable={false} />;
}
