import { Group, Loader, Text } from "@mantine/core";
import { lazy, Suspense, useRef, useState } from "react";
import type { ServiceClient } from "../api/service-client.ts";
import { Action } from "../components/action.tsx";
import { useAnnounce } from "../components/announcer.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { SuggestingInput } from "../components/filters.tsx";
import { useForm } from "../components/form.tsx";
import { FormDialog } from "../components/form-dialog.tsx";
import { usePage } from "../program/page-context.tsx";
import { counted, formatNumber } from "../text/numbers.ts";
import { listedPlants } from "./imported-plants.ts";
import type { ShownQuery } from "./matching-plants.ts";
import { forEachPlant, PLANT_DATA, plantsChanged } from "./plant-data.ts";
import { useTagSuggestions } from "./plants-list.ts";
import { type TagChange, tagsOf } from "./tag-change.ts";

/** It is opened rarely, and loaded when it is. */
const LabelsDialog = lazy(async () => ({ default: (await import("../program/rare-parts.ts")).LabelsDialog }));

/** A browser's memory does not collect more; an import or the API is for those. */
const SELECTION_LENGTH_MAX = 100_000;

export interface Selection {
  readonly ids: ReadonlySet<string>;
  set(ids: Iterable<string>): void;
  toggle(id: string): void;
}

export function useSelection(): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  // The same for as long as the page is open, so that a row is drawn again only if it changes.
  const [acts] = useState(() => ({
    set: (chosen: Iterable<string>) => setIds(new Set(chosen)),
    toggle: (id: string) =>
      setIds((before) => {
        const after = new Set(before);
        if (!after.delete(id)) after.add(id);
        return after;
      }),
  }));
  return { ids, ...acts };
}

/** Selects every matching plant, loaded or not. `found` is undefined while nothing is being collected. */
function useSelectAllMatching(service: ServiceClient, query: ShownQuery, selection: Selection) {
  const [found, setFound] = useState<number>();
  const [failure, setFailure] = useState<unknown>();
  const abort = useRef<AbortController>(undefined);
  const start = async () => {
    abort.current = new AbortController();
    const ids: string[] = [];
    setFailure(undefined);
    setFound(0);
    try {
      for await (const { id } of listedPlants(service, query, abort.current.signal)) {
        ids.push(String(id));
        if (ids.length % 1000 === 0) setFound(ids.length);
        if (ids.length === SELECTION_LENGTH_MAX) break;
      }
      selection.set(ids);
    } catch (cause) {
      if (!abort.current.signal.aborted) setFailure(cause);
    }
    setFound(undefined);
  };
  return { found, failure, start, stop: () => abort.current?.abort() };
}

export interface SelectionBarProps {
  readonly selection: Selection;
  readonly query: ShownQuery;
  /** True if every loaded plant is ticked and more plants match. */
  readonly moreMatch: boolean;
  /** True while an export is under way: there is one at a time, which can be stopped. */
  readonly isExporting: boolean;
  readonly onExport: (ids: ReadonlySet<string>) => void;
}

export function SelectionBar({ selection, query, moreMatch, isExporting, onExport }: SelectionBarProps) {
  const { service, removals } = usePage();
  const all = useSelectAllMatching(service, query, selection);
  const [dialog, setDialog] = useState<"tag" | "labels">();
  const close = () => setDialog(undefined);
  const count = selection.ids.size;
  if (all.found !== undefined) {
    return (
      <Group gap="sm" className="selection-bar" role="status">
        <Loader size="xs" aria-hidden="true" />
        <Text>Selecting, {formatNumber(all.found)} until now</Text>
        <Action label="Stop" size="xs" onClick={all.stop} />
      </Group>
    );
  }
  if (count === 0) return null;
  const remove = () => {
    void removals.remove([...selection.ids]);
    selection.set([]);
  };
  return (
    <>
      <Group gap="sm" className="selection-bar">
        <Text fw={500} role="status">
          {counted(count, "plant")} selected
          {count === SELECTION_LENGTH_MAX && ", as many as can be at once"}
        </Text>
        <ClearSelection selection={selection} />
        <Action label="Set tag" size="xs" onClick={() => setDialog("tag")} />
        <Action label="Labels" size="xs" onClick={() => setDialog("labels")} />
        <Action label="Remove" kind="risky" size="xs" onClick={remove} />
        <Action label="Export" size="xs" disabled={isExporting} onClick={() => onExport(selection.ids)} />
        {moreMatch && (
          <Action label="Select all that match" variant="subtle" kind="main" size="xs" onClick={all.start} />
        )}
      </Group>
      {dialog === "tag" && <TagDialog selection={selection} onClose={close} />}
      <Suspense>{dialog === "labels" && <LabelsDialog ids={selection.ids} onClose={close} />}</Suspense>
      <FailureNotice cause={all.failure} title="Not all plants could be selected" />
    </>
  );
}

/** It stands beside the count of what is selected, also where that is narrow. */
export function ClearSelection({ selection }: { readonly selection: Selection }) {
  return <Action label="Clear" aria-label="Clear selection" kind="quiet" size="xs" onClick={() => selection.set([])} />;
}

interface TagDialogProps {
  readonly selection: Selection;
  readonly onClose: () => void;
}

/** Unticks the plants afterwards. One that has the tag already stays as it is, so it may be tried again. */
function TagDialog({ selection, onClose }: TagDialogProps) {
  const announce = useAnnounce();
  const { queries, tagChange } = usePage();
  const before = useRef<TagChange["before"]>(undefined);
  const suggestions = useTagSuggestions();
  const [count, setCount] = useState(0);
  const ids = [...selection.ids];
  const plants = counted(ids.length, "plant");
  const form = useForm({
    initial: { tag: "" },
    send: async ({ client }, { tag }) => {
      // Another try does not take the tags of the one before for theirs.
      before.current ??= await tagsOf(client, ids);
      const { failed, cause } = await forEachPlant(ids, (id) => client.change(id, { tag: tag || null }), setCount);
      if (failed.length === 0) return;
      await plantsChanged(queries);
      throw cause;
    },
    changes: PLANT_DATA,
    done: (_, __, { tag }) => {
      announce(`The tag of ${plants} is changed`);
      tagChange.set({ tag: tag || null, before: before.current ?? new Map() });
    },
    close: () => {
      onClose();
      selection.set([]);
    },
  });
  return (
    <FormDialog
      {...{ form, onClose }}
      title={`Tag for ${plants}`}
      label={form.values.tag === "" ? "Remove the tag" : "Set the tag"}
      failure="Not every tag could be changed"
      closeOnClickOutside={!form.isPending}
      remark={form.isPending && count > 0 ? `${formatNumber(count)} of ${plants}` : undefined}
    >
      <Text size="sm">Each of these plants gets this tag instead of its own. Leave it empty to remove their tags.</Text>
      <SuggestingInput {...form.field("tag", "Tag")} suggestions={suggestions} data-autofocus />
    </FormDialog>
  );
}
