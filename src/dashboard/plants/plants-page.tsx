import { Button, Skeleton, Stack } from "@mantine/core";
import { lazy, Suspense } from "react";
import { EmptyState } from "../empty-state.tsx";
import { FailureNotice } from "../failure-notice.tsx";
import { Icon } from "../icon.tsx";
import { PageTitle } from "../page-title.tsx";
import { useSignal } from "../signal.ts";
import { ExportMenu } from "./export-menu.tsx";
import { MorePlants } from "./more-plants.tsx";
import { PlantPanel } from "./plant-panel.tsx";
import { usePlantsAddress } from "./plants-address.ts";
import { PlantsFilter } from "./plants-filter.tsx";
import { usePlants } from "./plants-list.ts";
import { PlantsTable } from "./plants-table.tsx";
import { removal } from "./removals.ts";
import { useSelection } from "./selection.ts";
import { SelectionBar } from "./selection-bar.tsx";

const ImportDialog = lazy(() => import("./import-dialog.tsx"));

export default function PlantsPage() {
  const [address, change] = usePlantsAddress();
  const list = usePlants(address);
  const selection = useSelection();
  const removed = new Set(useSignal(removal)?.ids);
  const plants = list.data?.pages.flatMap((page) => page.plants).filter(({ id }) => !removed.has(String(id)));
  const filtered = address.q !== "" || address.tag !== undefined;
  const closePanel = () => change({ plant: undefined, panel: undefined });
  return (
    <>
      <PageTitle title="Plants">
        <ExportMenu />
        <Button variant="default" leftSection={<Icon name="upload" />} onClick={() => change({ panel: "import" })}>
          Import
        </Button>
        <Button leftSection={<Icon name="plus" />} onClick={() => change({ panel: "add" })}>
          Add a plant
        </Button>
      </PageTitle>
      <Stack className="panel">
        <PlantsFilter address={address} onChange={change} />
        <SelectionBar selection={selection} />
        <FailureNotice cause={list.error} retry={() => list.refetch()} />
        {list.isPending && <TableWait />}
        {plants?.length === 0 && !list.hasNextPage && (
          <NoPlants filtered={filtered} onAdd={() => change({ panel: "add" })} />
        )}
        {plants && plants.length > 0 && (
          <div aria-busy={list.isPlaceholderData} style={list.isPlaceholderData ? { opacity: 0.6 } : undefined}>
            <PlantsTable
              plants={plants}
              selection={selection}
              onOpen={(plant) => change({ plant })}
              onTag={(tag) => change({ tag })}
            />
          </div>
        )}
        {list.hasNextPage && (
          <MorePlants
            pages={list.data?.pages.length ?? 0}
            loading={list.isFetchingNextPage}
            onMore={list.fetchNextPage}
          />
        )}
      </Stack>
      <PlantPanel id={address.plant} adding={address.panel === "add"} onClose={closePanel} />
      {address.panel === "import" && (
        <Suspense>
          <ImportDialog onClose={closePanel} />
        </Suspense>
      )}
    </>
  );
}

function NoPlants({ filtered, onAdd }: { readonly filtered: boolean; readonly onAdd: () => void }) {
  if (filtered)
    return <EmptyState order={2} title="No plant fits" text="Try a shorter part of the name, or another tag." />;
  return (
    <EmptyState order={2} title="No plants yet" text="Add one here, import a file, or send them with a token.">
      <Button onClick={onAdd}>Add a plant</Button>
    </EmptyState>
  );
}

function TableWait() {
  return (
    <Stack gap="xs" className="late" aria-busy="true">
      {Array.from({ length: 8 }, (_, row) => (
        <Skeleton key={String(row)} h={34} />
      ))}
    </Stack>
  );
}
