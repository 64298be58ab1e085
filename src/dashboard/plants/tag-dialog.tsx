import { Text } from "@mantine/core";
import { useState } from "react";
import type { PlantstoreClient } from "#client/plantstore-client.ts";
import { useAnnounce } from "../components/announcer.tsx";
import { Dialog } from "../components/dialog.tsx";
import { SuggestingInput } from "../components/filters.tsx";
import { Form, useForm } from "../components/form.tsx";
import { counted, formatNumber } from "../text/numbers.ts";
import { isUnknownPlant, PLANT_DATA } from "./plant-data.ts";
import { useTagSuggestions } from "./plants-list.ts";

const PARALLEL_MAX = 6;

interface TagDialogProps {
  readonly ids: ReadonlySet<string>;
  /** Called once every plant has the tag. */
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** Sets the tag of many plants, or removes it. A plant that has it already stays as it is, so it may be tried again. */
export function TagDialog({ ids, onDone, onClose }: TagDialogProps) {
  const announce = useAnnounce();
  const suggestions = useTagSuggestions();
  const [count, setCount] = useState(0);
  const plants = counted(ids.size, "plant");
  const form = useForm({
    initial: { tag: "" },
    send: ({ client }, { tag }) => tagEach(client, [...ids], tag || null, setCount),
    changes: PLANT_DATA,
    done: () => {
      announce(`The tag of ${plants} is changed`);
      onDone();
    },
  });
  const label = form.values.tag === "" ? "Remove the tag" : "Set the tag";
  return (
    <Dialog onClose={onClose} title={`Tag of ${plants}`} closeOnClickOutside={!form.isPending}>
      <Form
        form={form}
        label={label}
        failure="Not every tag could be changed"
        onCancel={onClose}
        remark={form.isPending && count > 0 ? `${formatNumber(count)} of ${plants}` : undefined}
      >
        <Text size="sm">
          Each of these plants gets this tag instead of its own. Leave it empty to remove their tags.
        </Text>
        <SuggestingInput {...form.field("tag", "Tag")} suggestions={suggestions} data-autofocus />
      </Form>
    </Dialog>
  );
}

/** Changes all plants that can be changed, then throws the last failure, if there was one. */
async function tagEach(
  client: PlantstoreClient,
  ids: string[],
  tag: string | null,
  onCount: (count: number) => void,
): Promise<void> {
  const failures: unknown[] = [];
  const total = ids.length;
  const work = async () => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
      // Somebody else may have removed it.
      await client.change(BigInt(id), { tag }).catch((cause) => isUnknownPlant(cause) || failures.push(cause));
      if ((total - ids.length) % 50 === 0) onCount(total - ids.length);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_MAX }, work));
  if (failures.length > 0) throw failures.at(-1);
}
