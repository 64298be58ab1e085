import { Alert, Stack, Text } from "@mantine/core";
import { useEffect, useRef } from "react";
import type { ImportRecord, UndoRecord } from "#contract/dashboard/imports.ts";
import { useChange } from "../api/asking.ts";
import { Icon } from "../components/icon.tsx";
import { PageLink } from "../components/page-link.tsx";
import { ProgressLine } from "../components/progress-line.tsx";
import { useImportRecord } from "../plants/imported-plants.ts";
import { IMPORTS_PATH, plantsChanged } from "../plants/plant-data.ts";
import { usePage } from "../program/page-context.tsx";
import { PLANTS } from "../program/pages.ts";
import { counted, formatNumber } from "../text/numbers.ts";
import { excerpt } from "../text/sentence.ts";

/** The plants that an import added or changed, some of them perhaps twice. */
function writtenBy({ counts }: Pick<ImportRecord, "counts">): number {
  return counts.created + counts.updated;
}

/** The import, and its undo. What pages show of plants is asked for anew once that has ended. */
export function useImportUndo(id: string | undefined) {
  const { queries } = usePage();
  const record = useImportRecord(id);
  const change = useChange((service) => service.api("POST", `${IMPORTS_PATH}/${id}/undo`), {
    done: () => record.refetch(),
  });
  const state = record.data && (record.data.undo?.state ?? "none");
  const before = useRef(state);
  useEffect(() => {
    // A short undo may have ended before it was seen to run.
    const hasEnded = before.current !== undefined && before.current !== state && state !== "running";
    before.current = state;
    if (hasEnded) void plantsChanged(queries);
  }, [state, queries]);
  return { record: record.data, undo: record.data?.undo ?? undefined, change, failure: record.error };
}

/** How far an undo is, or what it did and left, and why. */
export function UndoOutcome({ record, undo }: { readonly record: ImportRecord; readonly undo: UndoRecord }) {
  if (undo.state === "running") {
    const done = undo.removed + undo.restored + leftOf(undo);
    return (
      <Stack gap="xs">
        <ProgressLine label="Undo of the import" share={done / Math.max(1, writtenBy(record))} />
        <Text role="status">
          Undoing the import: {formatNumber(done)} of {counted(writtenBy(record), "plant")}
        </Text>
      </Stack>
    );
  }
  const isWhole = undo.state === "done" && leftOf(undo) === 0;
  return (
    <Stack gap="xs">
      <Alert color={isWhole ? "leaf" : "yellow"} icon={<Icon name={isWhole ? "check" : "warning"} />} role="status">
        {undoText(undo)}
      </Alert>
      <LeftPlants undo={undo} />
    </Stack>
  );
}

function leftOf({ left }: UndoRecord): number {
  return left.changed + left.removed + left.replaced;
}

/** "Import undone: 395 plants removed, 3 as before. 2 were changed since: left." */
function undoText(undo: UndoRecord): string {
  const { state, removed, restored, left } = undo;
  const done = [`${counted(removed, "plant")} removed`];
  if (restored > 0) done.push(`${formatNumber(restored)} as before the import`);
  const said = [`${state === "done" ? "Import undone" : "The undo stopped"}: ${done.join(", ")}.`];
  if (state === "stopped") said.push("Who began it may not change plants any more.");
  if (left.changed > 0) said.push(`${wereLeft(left.changed)} changed since: left.`);
  if (left.replaced > 0) said.push(`${wereLeft(left.replaced)} removed and added again since: left.`);
  if (left.removed > 0) said.push(`${wereLeft(left.removed)} removed since.`);
  return said.join(" ");
}

function wereLeft(count: number): string {
  return `${formatNumber(count)} ${count === 1 ? "was" : "were"}`;
}

const REASONS = { changed: "changed since", removed: "removed since", replaced: "removed and added again since" };

function LeftPlants({ undo }: { readonly undo: UndoRecord }) {
  const { left_plants: plants } = undo;
  if (plants.length === 0) return null;
  return (
    <>
      <ul className="plain-list dense left-plants" aria-label="Plants that were left">
        {plants.map(({ id, name, reason }) => (
          <Text key={id} component="li" size="sm" className="breaks">
            {name === null ? (
              <bdi translate="no">{id}</bdi>
            ) : (
              <PageLink href={`${PLANTS}?plant=${id}`} className="link">
                <bdi translate="no">{excerpt(name).trim() || id}</bdi>
              </PageLink>
            )}
            : {REASONS[reason]}
          </Text>
        ))}
      </ul>
      {leftOf(undo) > plants.length && (
        <Text variant="remark">
          The first {formatNumber(plants.length)} of {formatNumber(leftOf(undo))}.
        </Text>
      )}
    </>
  );
}
