import { Button, Group, Text } from "@mantine/core";
import { formatNumber } from "../numbers.ts";
import { remove } from "./removals.ts";
import type { Selection } from "./selection.ts";

/** What can be done with the plants that are ticked. */
export function SelectionBar({ selection }: { readonly selection: Selection }) {
  const count = selection.ids.size;
  if (count === 0) return null;
  return (
    <Group gap="sm">
      <Text size="sm" role="status">
        {formatNumber(count)} selected
      </Text>
      <Button
        size="xs"
        color="red"
        onClick={() => {
          void remove([...selection.ids]);
          selection.set([]);
        }}
      >
        Remove
      </Button>
      <Button size="xs" variant="default" onClick={() => selection.set([])}>
        Clear
      </Button>
    </Group>
  );
}
