import { Group, Stack, Text } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import type { ImportRecord } from "#contract/dashboard/imports.ts";
import { Action } from "../components/action.tsx";
import { PageLink } from "../components/page-link.tsx";
import { Panel } from "../components/page-title.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { doerText, sentenceStart } from "../plants/doer-text.ts";
import { importedHref } from "../plants/imported-plants.ts";
import { useMay, useSession } from "../session/session.ts";
import { counted, formatNumber } from "../text/numbers.ts";
import { excerpt } from "../text/sentence.ts";
import { useOverview } from "./usage.ts";

/** It is opened rarely, and loaded when it is. */
const UndoDialog = lazy(async () => ({ default: (await import("../program/rare-parts.ts")).UndoDialog }));

/** Lists the newest imports that wrote something, and what can be done about them; nothing if there are none. */
export function LastImports() {
  const shown = useOverview().data?.last_imports ?? [];
  const [undone, setUndone] = useState<string>();
  if (shown.length === 0) return null;
  return (
    <Panel id="imports" title="Last imports">
      <ul className="plain-list">
        {shown.map((record) => (
          <ImportLine key={record.id} record={record} onUndo={() => setUndone(record.id)} />
        ))}
      </ul>
      <Suspense>{undone !== undefined && <UndoDialog id={undone} onClose={() => setUndone(undefined)} />}</Suspense>
    </Panel>
  );
}

function ImportLine({ record, onUndo }: { readonly record: ImportRecord; readonly onUndo: () => void }) {
  const { account } = useSession();
  const may = useMay();
  const { id, file_name, at, by, undo } = record;
  const doer = by?.id === account.id ? "You" : doerText(by);
  const name = excerpt(file_name);
  const isUndone = undo?.state === "done";
  return (
    <Group component="li" gap="sm" justify="space-between">
      <Stack gap={0} miw={0} flex="1 1 220px">
        <bdi translate="no" className="breaks">
          {name}
        </bdi>
        <Text variant="remark">
          {doer && (
            <>
              <bdi translate="no">{sentenceStart(doer)}</bdi>,{" "}
            </>
          )}
          <RelativeTime at={at} focusable={false} />: {isUndone ? "undone" : countsOf(record)}
        </Text>
      </Stack>
      <Group gap="sm" flex="none">
        {!isUndone && (
          <PageLink href={importedHref(id)} className="link" aria-label={`Show these: ${name}`}>
            Show these
          </PageLink>
        )}
        {may("change plants") && (
          <Action
            label={undo ? "Show the undo" : "Undo"}
            aria-label={`${undo ? "Show the undo of" : "Undo"} the import of ${name}`}
            size="xs"
            onClick={onUndo}
          />
        )}
      </Group>
    </Group>
  );
}

function countsOf({ counts: { created, updated } }: ImportRecord): string {
  const changed = updated > 0 ? `, ${formatNumber(updated)} updated` : "";
  return `${counted(created, "plant")} added${changed}`;
}
