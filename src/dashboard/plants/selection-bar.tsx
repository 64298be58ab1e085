import { Button, Group, Loader, Text } from "@mantine/core";
import { FailureNotice } from "../components/failure-notice.tsx";
import { usePage } from "../program/page-context.tsx";
import { counted as countedWord, formatNumber } from "../text/numbers.ts";
import type { PlantsAddress } from "./plants-address.ts";
import { SELECTION_LENGTH_MAX, type Selection, useSelectAllMatching } from "./selection.ts";

interface SelectionBarProps {
  readonly selection: Selection;
  readonly address: PlantsAddress;
  /** True if every loaded plant is ticked and more plants match. */
  readonly moreMatch: boolean;
  readonly onExport: (ids: ReadonlySet<string>) => void;
}

/** Actions on the ticked plants. */
export function SelectionBar({ selection, address, moreMatch, onExport }: SelectionBarProps) {
  const { service, removals } = usePage();
  const all = useSelectAllMatching(service.plants, address, selection);
  const count = selection.ids.size;
  if (count === 0) return null;
  if (all.counted !== undefined) {
    return (
      <Group gap="sm" className="selection-bar" role="status">
        <Loader size="xs" aria-hidden="true" />
        <Text className="figures">Selecting, {formatNumber(all.counted)} until now</Text>
        <Button size="xs" variant="default" onClick={all.stop}>
          Stop
        </Button>
      </Group>
    );
  }
  return (
    <>
      <Group gap="sm" className="selection-bar">
        <Text fw={500} className="figures" role="status">
          {countedWord(count, "plant")} selected
          {count === SELECTION_LENGTH_MAX && ", as many as can be at once"}
        </Text>
        <Button
          size="xs"
          color="red"
          onClick={() => {
            void removals.remove([...selection.ids]);
            selection.set([]);
          }}
        >
          Remove
        </Button>
        <Button size="xs" variant="default" onClick={() => onExport(selection.ids)}>
          Export
        </Button>
        {moreMatch && (
          <Button size="xs" variant="subtle" onClick={() => void all.start()}>
            Select all that match
          </Button>
        )}
        <Button size="xs" variant="subtle" color="gray" onClick={() => selection.set([])}>
          Clear
        </Button>
      </Group>
      <FailureNotice cause={all.failure} title="Not all plants could be selected" />
    </>
  );
}
