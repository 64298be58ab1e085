import { Box, Group, Skeleton, Stack, Text, VisuallyHidden } from "@mantine/core";
import { useInViewport } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useCallback, useDeferredValue, useEffect } from "react";
import { useLocation, useParams } from "wouter";
import { PlantstoreError } from "#client/error.ts";
import type { StoredPlant } from "#client/plant.ts";
import type { ImportRecord } from "#contract/dashboard/imports.ts";
import { SORTED_PLANTS_MAX } from "#contract/dashboard/sorted-plants.ts";
import { ERROR_NUMBERS } from "#contract/error-numbers.ts";
import { fetchMore } from "../api/asking.ts";
import { useSignal } from "../api/signal.ts";
import { useAddress } from "../browser/address.ts";
import { Action } from "../components/action.tsx";
import { Answered } from "../components/answered.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { Chip, SearchField, Segments } from "../components/filters.tsx";
import { EmptyState, ShowMore } from "../components/list.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { useOverview } from "../overview/usage.ts";
import { usePage } from "../program/page-context.tsx";
import { DEVELOPER, PLANTS } from "../program/pages.ts";
import { useMay } from "../session/session.ts";
import { counted, formatNumber } from "../text/numbers.ts";
import { excerpt } from "../text/sentence.ts";
import { ExportMenu, useExport } from "./export-menu.tsx";
import { useImportRecord } from "./imported-plants.ts";
import { isFiltering, isSorted, listQuery, type PlantOrder, type ShownQuery } from "./matching-plants.ts";
import { plantsChanged } from "./plant-data.ts";
import { PlantPanel, PlantReader, usePlantTitle } from "./plant-panel.tsx";
import {
  tagOfText,
  useCreators,
  useNewPlants,
  usePlantById,
  usePlantMatches,
  usePlants,
  useSearchOfText,
  useTagSuggestions,
} from "./plants-list.ts";
import { PlantsTable } from "./plants-table.tsx";
import { hiddenIds } from "./removals.ts";
import { RemovedPlants } from "./removed-plants.tsx";
import { SelectionBar, type SelectionBarProps, useSelection } from "./selection-bar.tsx";
import { WaysIn } from "./ways-in.tsx";

/** It is opened rarely, and loaded when it is. */
const ImportDialog = lazy(async () => ({ default: (await import("../program/rare-parts.ts")).ImportDialog }));

const SHOWN = { "": "In the store", removed: "Removed" };

/** The list of plants, or the plant whose id the address has: the code of a label leads there. */
export default function PlantsPage() {
  const { id } = useParams();
  return id === undefined ? <PlantsList /> : <PlantPage id={id} />;
}

function PlantPage({ id }: { readonly id: string }) {
  const [, navigate] = useLocation();
  return (
    <>
      <PageTitle title={usePlantTitle(id)} isName>
        <Action label="All plants" href={PLANTS} />
      </PageTitle>
      <Stack className="panel" maw={560}>
        <PlantReader id={id} onClose={() => navigate(PLANTS)} onSaved={() => {}} />
      </Stack>
    </>
  );
}

function PlantsList() {
  const [search, change] = useAddress();
  const query = listQuery(search);
  const exporting = useExport();
  // Drawn in parts, so that the page responds in between.
  const id = useDeferredValue(search.get("plant") ?? undefined);
  const may = useMay()("change plants");
  const panel = may ? search.get("open") : undefined;
  const shown = search.get("show") === "removed" ? "removed" : "";
  const closePanel = () => change({ plant: undefined, open: undefined });
  return (
    <>
      <PageTitle title="Plants">
        <ExportMenu exporting={exporting} query={isFiltering(query) ? query : undefined} />
        {may && (
          <>
            <Action
              label="Import"
              icon="upload"
              className="icon-when-narrow"
              onClick={() => change({ open: "import" })}
            />
            <Action label="Add plant" icon="plus" kind="main" onClick={() => change({ open: "add" })} />
          </>
        )}
      </PageTitle>
      <FailureNotice
        cause={exporting.failure}
        title="The export did not finish"
        retry={exporting.dismiss}
        retryLabel="Close"
      />
      <Stack className="panel wide" gap="sm">
        <Group>
          <Segments
            label="Which plants"
            choices={SHOWN}
            value={shown}
            onChange={(chosen) => change({ show: chosen, q: undefined, tag: undefined, import: undefined })}
          />
        </Group>
        {shown === "removed" ? (
          <RemovedPlants />
        ) : (
          <PlantsPanel
            query={query}
            isExporting={exporting.bytes !== undefined}
            onExport={(ids) => void exporting.start("csv", { query, ids })}
          />
        )}
      </Stack>
      {(id !== undefined || panel === "add") && (
        <PlantPanel id={panel === "add" ? undefined : id} onClose={closePanel} />
      )}
      <Suspense>{panel === "import" && <ImportDialog onClose={closePanel} />}</Suspense>
    </>
  );
}

function PlantsPanel({ query, ...exporting }: Pick<SelectionBarProps, "query" | "isExporting" | "onExport">) {
  const [, change] = useAddress();
  // The heading of the column changes at once, and the rows are drawn in parts.
  const order = useDeferredValue(query.order);
  const list = usePlants({ ...query, order });
  // The first rows are drawn in parts, so that the page responds in between. Later ones are not deferred: the reader
  // would act on rows that are no longer in the list.
  const drawn = useDeferredValue(list.data !== undefined, false);
  const pages = drawn ? list.data?.pages : undefined;
  const shown = useShownPlants(query, pages);
  const loaded = shown?.plants ?? [];
  const creators = useCreators(loaded);
  const selection = useSelection();
  const may = useMay()("change plants");
  const open = useCallback((plant: string) => change({ plant }), [change]);
  const filterByTag = useCallback((tag: string) => change({ tag, import: undefined }), [change]);
  const sort = (order: PlantOrder) => change({ order: order === "-created_at" ? undefined : order });
  const isTooMany = isSorted(query.order) && isRefusedQuery(list.error);
  const moreMatch = list.hasNextPage && loaded.every(({ id }) => selection.ids.has(String(id)));
  return (
    <>
      {query.imported === undefined ? <Filters query={query} /> : <ImportShown id={query.imported} />}
      <Counts query={query} shown={loaded} list={list} isDrawn={pages !== undefined} />
      {may && <SelectionBar selection={selection} query={query} moreMatch={moreMatch} {...exporting} />}
      {isTooMany && <TooMany order={query.order ?? "name"} onNewest={() => change({ order: undefined })} />}
      <Answered
        query={isTooMany ? { ...list, error: null } : list}
        data={isTooMany ? NO_PLANTS : shown}
        shape={<TableShape />}
      >
        {({ plants, beingRemoved }) => (
          <>
            {plants.length === 0 && !list.hasNextPage && !isTooMany && <NoPlants query={query} />}
            {plants.length > 0 && (
              <PlantsTable
                plants={plants}
                creators={creators}
                selection={may ? selection : undefined}
                order={query.order}
                onOrder={query.imported === undefined ? sort : undefined}
                onOpen={open}
                onTag={filterByTag}
              />
            )}
            {beingRemoved && <Text c="dimmed">The plants that match are being removed.</Text>}
          </>
        )}
      </Answered>
      {list.hasNextPage && shown && !shown.beingRemoved && <MorePlants list={list} />}
    </>
  );
}

function NoPlants({ query }: { readonly query: ShownQuery }) {
  const [, change] = useAddress();
  const may = useMay()("change plants");
  if (query.imported !== undefined) {
    return (
      <EmptyState
        title="None of these plants is left"
        text="The import was undone, or they were removed. A plant that was restored since does not count as imported."
      >
        <Action label="Show all plants" onClick={() => change({ import: undefined })} />
      </EmptyState>
    );
  }
  if (isFiltering(query)) {
    return (
      <EmptyState title="No results" text="Try a shorter part of the name, or another tag.">
        <Action label="Clear the search" onClick={() => change({ q: undefined, tag: undefined })} />
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No plants yet" text={may ? "" : "Those that others add appear here."}>
      {may && <WaysIn program={`${DEVELOPER}/quick-start`} />}
    </EmptyState>
  );
}

const NO_PLANTS = { plants: [], beingRemoved: false };

function isRefusedQuery(error: unknown): boolean {
  return error instanceof PlantstoreError && error.error === ERROR_NUMBERS["address-malformed"];
}

/** More plants match than are sorted by name or tag. */
function TooMany({ order, onNewest }: { readonly order: string; readonly onNewest: () => void }) {
  const by = order.endsWith("name") ? "name" : "tag";
  return (
    <EmptyState
      title="Too many plants to sort"
      text={`Up to ${formatNumber(SORTED_PLANTS_MAX)} can be sorted by ${by}, and more match. Search for a part of the name, or choose a tag.`}
    >
      <Action label="Show the newest first" onClick={onNewest} />
    </EmptyState>
  );
}

/** The loaded plants without those that are being removed, after the plant with the searched id. */
function useShownPlants(query: ShownQuery, pages: readonly { readonly plants: readonly StoredPlant[] }[] | undefined) {
  const byId = usePlantById(query).data;
  const removed = hiddenIds(useSignal(usePage().removals.current));
  if (!pages) return undefined;
  const listed = pages.flatMap(({ plants }) => plants);
  const found = byId && !listed.some(({ id }) => id === byId.id) ? [byId] : [];
  const plants = [...found, ...listed].filter(({ id }) => !removed.has(String(id)));
  // All matching plants were selected, so the next pages would be hidden as well.
  return { plants, beingRemoved: listed.length > 0 && plants.length === 0 && removed.size > listed.length };
}

/** Names the import whose plants are shown. */
function ImportShown({ id }: { readonly id: string }) {
  const [, change] = useAddress();
  const record = useImportRecord(id).data;
  const name = record ? <bdi translate="no">{excerpt(record.file_name)}</bdi> : "a file";
  return (
    <Group gap="sm">
      <Chip text={<>Imported from {name}</>} remove="Show all plants" onRemove={() => change({ import: undefined })} />
      {record && (
        <Text variant="remark">
          <RelativeTime at={record.at} />
        </Text>
      )}
    </Group>
  );
}

/** The search and the tag filter. Typing adds no steps for the back button. */
function Filters({ query: { q = "", tag } }: { readonly query: ShownQuery }) {
  const [, change] = useAddress();
  const tags = useTagSuggestions();
  const searched = useSearchOfText();
  return (
    <Group gap="sm">
      <SearchField
        label="Search by name or id"
        value={q}
        shownAs={searched}
        onSearch={(q) => change({ q: q && searched(q) }, { replace: true })}
      />
      {tag === "" ? (
        <Chip text="With the empty tag" remove="Any tag" onRemove={() => change({ tag: undefined })} />
      ) : (
        <SearchField
          secondary
          label="Filter by tag"
          value={tag ?? ""}
          suggestions={tags}
          accept={(text) => tagOfText(tags, text)}
          onSearch={(tag) => change({ tag }, { replace: true })}
        />
      )}
    </Group>
  );
}

interface CountsProps {
  readonly query: ShownQuery;
  readonly shown: readonly StoredPlant[];
  readonly list: ReturnType<typeof usePlants>;
  readonly isDrawn: boolean;
}

function Counts({ query, shown, list, isDrawn }: CountsProps) {
  const queries = useQueryClient();
  const filtered = isFiltering(query);
  const total = useOverview().data?.plants;
  const record = useImportRecord(query.imported).data;
  const added = useNewPlants(query, shown);
  // The list itself is counted until the service has counted, and if counting failed.
  const { count, at_least } = usePlantMatches(query).data ?? { count: shown.length, at_least: list.hasNextPage };
  const ready = isDrawn && !list.isPlaceholderData;
  return (
    <Group gap="sm" mih={28}>
      <Text variant="remark" role="status">
        {ready &&
          filtered &&
          shown.length > 0 &&
          (query.imported ? importedText(count, at_least, record) : matchingText(count, at_least, total))}
        {ready && filtered && shown.length === 0 && !list.hasNextPage && <VisuallyHidden>No results</VisuallyHidden>}
        {!filtered && total !== undefined && total > 0 && counted(total, "plant")}
      </Text>
      {added > 0 && (
        <Action
          label={counted(added, "new plant")}
          size="compact-sm"
          variant="light"
          kind="main"
          onClick={() => plantsChanged(queries)}
        />
      )}
    </Group>
  );
}

/** Until all of an import's plants are loaded, nobody knows how many of them are left: its own counts stand for them. */
function importedText(count: number, atLeast: boolean, record: ImportRecord | undefined): string {
  if (!atLeast) return `${counted(count, "plant")} of this import`;
  return record ? `${counted(record.counts.created + record.counts.updated, "plant")} imported` : "";
}

function matchingText(count: number, atLeast: boolean, total: number | undefined): string {
  const number = `${atLeast ? "At least " : ""}${formatNumber(count)}`;
  const verb = count === 1 && !atLeast ? "matches" : "match";
  return total === undefined ? `${number} ${verb}` : `${number} of ${counted(total, "plant")} ${verb}`;
}

function TableShape() {
  return (
    <Stack gap="xs">
      {Array.from({ length: 8 }, (_, row) => (
        <Skeleton key={String(row)} h={36} />
      ))}
    </Stack>
  );
}

function MorePlants({ list }: { readonly list: ReturnType<typeof usePlants> }) {
  const { ref, inViewport } = useInViewport();
  const { isFetching, isFetchNextPageError, fetchNextPage } = list;
  // One that could not be had is asked for again by the reader alone.
  const wanted = inViewport && !isFetching && !isFetchNextPageError;
  useEffect(() => {
    if (wanted) void fetchMore(false, fetchNextPage);
  }, [wanted, fetchNextPage]);
  return (
    <Box ref={ref} py="md">
      <ShowMore query={list} />
    </Box>
  );
}
