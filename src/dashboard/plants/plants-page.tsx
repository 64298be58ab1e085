import { Button, Center, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useInViewport } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useDeferredValue, useEffect } from "react";
import type { StoredPlant } from "#client/plant.ts";
import { useSignal } from "../api/signal.ts";
import { EmptyState } from "../components/empty-state.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { Icon } from "../components/icon.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { useOverview } from "../overview/usage.ts";
import { usePage } from "../program/page-context.tsx";
import { counted, formatNumber } from "../text/numbers.ts";
import { ExportMenu } from "./export-menu.tsx";
import { useExportRun } from "./export-run.ts";
import { ImportDialog } from "./import-dialog.tsx";
import { PlantPanel } from "./plant-panel.tsx";
import { type ChangePlantsAddress, type PlantsAddress, usePlantsAddress } from "./plants-address.ts";
import { plantsChanged } from "./plants-changed.ts";
import { PlantsFilter } from "./plants-filter.tsx";
import { useNewPlants, usePlantById, usePlantMatches, usePlants, useTagSuggestions } from "./plants-list.ts";
import { PlantsTable } from "./plants-table.tsx";
import { useSelection } from "./selection.ts";
import { SelectionBar } from "./selection-bar.tsx";

export default function PlantsPage() {
  const [address, change] = usePlantsAddress();
  const exporting = useExportRun();
  const filtered = address.q !== "" || address.tag !== undefined;
  const closePanel = () => change({ plant: undefined, panel: undefined });
  return (
    <>
      <PageTitle title="Plants">
        <ExportMenu exporting={exporting} filtered={filtered ? address : undefined} />
        <Button
          variant="default"
          className="icon-when-narrow"
          leftSection={<Icon name="upload" />}
          onClick={() => change({ panel: "import" })}
        >
          Import
        </Button>
        <Button leftSection={<Icon name="plus" />} onClick={() => change({ panel: "add" })}>
          Add plant
        </Button>
      </PageTitle>
      {exporting.run.state === "failed" && (
        <FailureNotice
          cause={exporting.run.cause}
          title="The export did not finish"
          retry={exporting.reset}
          retryLabel="Close"
        />
      )}
      <PlantsPanel
        address={address}
        change={change}
        filtered={filtered}
        onExport={(ids) => void exporting.start("csv", { address, ids })}
      />
      <PlantPanel id={address.plant} adding={address.panel === "add"} onClose={closePanel} />
      {address.panel === "import" && <ImportDialog onClose={closePanel} />}
    </>
  );
}

interface PlantsPanelProps {
  readonly address: PlantsAddress;
  readonly change: ChangePlantsAddress;
  readonly filtered: boolean;
  readonly onExport: (ids: ReadonlySet<string>) => void;
}

function PlantsPanel({ address, change, filtered, onExport }: PlantsPanelProps) {
  const list = usePlants(address);
  // The first rows are drawn in parts, so that the page responds in between. Later ones are not deferred: the reader
  // would act on rows that are no longer in the list.
  const drawn = useDeferredValue(list.data !== undefined, false);
  const pages = drawn ? list.data?.pages : undefined;
  const { loaded, beingRemoved } = useShownPlants(address, pages);
  const selection = useSelection();
  const open = useCallback((plant: string) => change({ plant }), [change]);
  const filterByTag = useCallback((tag: string) => change({ tag }), [change]);
  const moreMatch = list.hasNextPage && loaded.every(({ id }) => selection.ids.has(String(id)));
  return (
    <Stack className="panel wide" gap="sm">
      <PlantsFilter address={address} onChange={change} tags={useTagSuggestions()} />
      <Counts
        address={address}
        shown={loaded}
        more={list.hasNextPage}
        filtered={filtered}
        ready={pages !== undefined && !list.isPlaceholderData}
      />
      <SelectionBar selection={selection} address={address} moreMatch={moreMatch} onExport={onExport} />
      <FailureNotice cause={list.error} retry={() => list.refetch()} />
      {!pages && !list.error && <TableWait />}
      {pages && loaded.length === 0 && !list.hasNextPage && (
        <NoPlants
          filtered={filtered}
          onAdd={() => change({ panel: "add" })}
          onClear={() => change({ q: "", tag: undefined })}
        />
      )}
      {loaded.length > 0 && (
        <div aria-busy={list.isPlaceholderData} style={list.isPlaceholderData ? { opacity: 0.6 } : undefined}>
          <PlantsTable
            plants={loaded}
            selection={selection}
            order={address.order}
            onOrder={(order) => change({ order })}
            onOpen={open}
            onTag={filterByTag}
          />
        </div>
      )}
      {beingRemoved && <Text c="dimmed">The plants that match are being removed.</Text>}
      {pages && list.hasNextPage && !beingRemoved && (
        <MorePlants loading={list.isFetchingNextPage} onMore={list.fetchNextPage} />
      )}
    </Stack>
  );
}

/** The loaded plants without those that are being removed, after the plant with the searched id. */
function useShownPlants(
  address: PlantsAddress,
  pages: readonly { readonly plants: readonly StoredPlant[] }[] | undefined,
): { readonly loaded: StoredPlant[]; readonly beingRemoved: boolean } {
  const byId = usePlantById(address);
  const removed = new Set(useSignal(usePage().removals.current)?.ids);
  const listed = pages?.flatMap(({ plants }) => plants) ?? [];
  const found = pages && byId.data && !listed.some(({ id }) => id === byId.data?.id) ? [byId.data] : [];
  const loaded = [...found, ...listed].filter(({ id }) => !removed.has(String(id)));
  // All matching plants were selected, so the next pages would be hidden as well.
  return { loaded, beingRemoved: listed.length > 0 && loaded.length === 0 && removed.size > listed.length };
}

interface CountsProps {
  readonly address: PlantsAddress;
  readonly shown: readonly StoredPlant[];
  readonly more: boolean;
  readonly filtered: boolean;
  readonly ready: boolean;
}

/** The number of plants and of matches, and a button for plants that others have added in the meantime. */
function Counts({ address, shown, more, filtered, ready }: CountsProps) {
  const queries = useQueryClient();
  const overview = useOverview();
  const added = useNewPlants(address, shown[0]);
  const matches = usePlantMatches(address);
  const total = overview.data?.plants;
  // The list itself is counted until the service has counted, and if counting failed.
  const { count, at_least } = matches.data ?? { count: shown.length, at_least: more };
  return (
    <Group gap="sm" mih={28}>
      <Text size="sm" c="dimmed" className="figures" role="status">
        {ready && filtered && shown.length > 0 && matchingText(count, at_least, total)}
        {!filtered && total !== undefined && total > 0 && counted(total, "plant")}
      </Text>
      {added.data > 0 && (
        <Button size="compact-sm" variant="light" onClick={() => void plantsChanged(queries)}>
          {counted(added.data, "new plant")}
        </Button>
      )}
    </Group>
  );
}

function matchingText(count: number, atLeast: boolean, total: number | undefined): string {
  const number = `${atLeast ? "At least " : ""}${formatNumber(count)}`;
  const verb = count === 1 && !atLeast ? "matches" : "match";
  return total === undefined ? `${number} ${verb}` : `${number} of ${counted(total, "plant")} ${verb}`;
}

interface NoPlantsProps {
  readonly filtered: boolean;
  readonly onAdd: () => void;
  readonly onClear: () => void;
}

function NoPlants({ filtered, onAdd, onClear }: NoPlantsProps) {
  if (filtered) {
    return (
      <EmptyState order={2} title="No results" text="Try a shorter part of the name, or another tag.">
        <Button variant="default" onClick={onClear}>
          Clear the search
        </Button>
      </EmptyState>
    );
  }
  return (
    <EmptyState order={2} title="No plants yet" text="Add one here, import a file, or send them with a token.">
      <Button onClick={onAdd}>Add plant</Button>
    </EmptyState>
  );
}

function TableWait() {
  return (
    <Stack gap="xs" className="late" aria-busy="true">
      {Array.from({ length: 8 }, (_, row) => (
        <Skeleton key={String(row)} h={36} />
      ))}
    </Stack>
  );
}

function MorePlants({ loading, onMore }: { readonly loading: boolean; readonly onMore: () => void }) {
  const { ref, inViewport } = useInViewport();
  const wanted = inViewport && !loading;
  useEffect(() => {
    if (wanted) onMore();
  }, [wanted, onMore]);
  return (
    <Center ref={ref} py="md">
      <Button variant="default" loading={loading} onClick={onMore}>
        Show more
      </Button>
    </Center>
  );
}
