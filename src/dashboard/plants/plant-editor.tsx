import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { PlantstoreError } from "#client/error.ts";
import type { PlantChange, StoredPlant } from "#client/plant.ts";
import { RequestFailure } from "../api/failure.ts";
import { useDraft } from "../browser/draft.ts";
import { useAnnounce } from "../components/announcer.tsx";
import { CopyButton } from "../components/copy-button.tsx";
import { DetailsList } from "../components/details-list.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { Icon } from "../components/icon.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { usePage, useService } from "../program/page-context.tsx";
import { BlankNameQuestion, isBlank } from "./blank-name.tsx";
import { PlantFields } from "./plant-fields.tsx";
import { plantsChanged } from "./plants-changed.ts";

const OVERTAKEN = "Your text is kept here. Load the current plant to see what it is now.";

interface PlantEditorProps {
  readonly plant: StoredPlant;
  readonly onReload: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** Sends only what was changed here, and only if nobody else has changed the plant in the meantime. */
export function PlantEditor({ plant, onReload, onClose }: PlantEditorProps) {
  const id = String(plant.id);
  const announce = useAnnounce();
  const { removals } = usePage();
  const { form, change, clear } = useDraft<PlantChange>(`plant:${id}`, {});
  const [questioned, setQuestioned] = useState(false);
  const name = form.name ?? plant.name;
  const changed = Object.keys(form).length > 0;
  const save = useSavePlant(plant);
  const submit = () => {
    if (isBlank(name) && form.name !== undefined && !questioned) return setQuestioned(true);
    save.mutate(form, {
      onSuccess: () => {
        clear();
        announce("Saved");
        onClose();
      },
    });
  };
  const [reloaded, setReloaded] = useState(false);
  const reload = async () => {
    await onReload();
    setReloaded(true);
    save.reset();
  };
  const overtaken = save.error instanceof PlantstoreError && save.error.status === 412;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack>
        <PlantFields
          name={name}
          tag={(form.tag === undefined ? plant.tag : form.tag) ?? ""}
          onChange={({ name, tag }) =>
            change({
              ...(name === undefined ? {} : { name }),
              ...(tag === undefined ? {} : { tag: tag === "" ? null : tag }),
            })
          }
          focus
        />
        <DetailsList
          rows={[
            [
              "Id",
              <Group key="id" gap={4}>
                <Code>{id}</Code>
                <CopyButton value={id} what="id" compact />
              </Group>,
            ],
            ["Added", <RelativeTime key="added" at={plant.createdAt} />],
            ["Changed", <RelativeTime key="changed" at={plant.updatedAt} />],
          ]}
        />
        {questioned && isBlank(name) && <BlankNameQuestion />}
        {reloaded && !save.error && <CurrentPlant plant={plant} />}
        <FailureNotice
          cause={overtaken ? new RequestFailure(412, undefined, OVERTAKEN, undefined) : save.error}
          title={overtaken ? "Somebody else changed this plant" : "The plant could not be saved"}
          {...(overtaken ? { retry: () => void reload(), retryLabel: "Load the current plant" } : {})}
        />
        <Group justify="space-between">
          <Button
            variant="subtle"
            color="red"
            onClick={() => {
              void removals.remove([id]);
              onClose();
            }}
          >
            Remove
          </Button>
          <SubmitButton pending={save.isPending} disabled={!changed}>
            {questioned && isBlank(name) ? "Save with a blank name" : "Save"}
          </SubmitButton>
        </Group>
      </Stack>
    </form>
  );
}

/** The plant as somebody else has changed it, shown before the text typed here replaces it. */
function CurrentPlant({ plant: { name, tag } }: { readonly plant: StoredPlant }) {
  return (
    <Alert color="yellow" role="status" icon={<Icon name="warning" />} title="The plant as it is now">
      <Text size="sm" className="breaks">
        Name: <bdi>{name}</bdi>
        <br />
        Tag: {tag === undefined ? "none" : <bdi>{tag}</bdi>}
      </Text>
      <Text size="sm">Your text is still in the fields. Saving replaces what you see here.</Text>
    </Alert>
  );
}

function useSavePlant(plant: StoredPlant) {
  const { plants } = useService();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: PlantChange) =>
      plants.change(plant.id, change, plant.etag === undefined ? {} : { ifMatch: plant.etag }),
    onSuccess: (saved) => {
      if (saved) queries.setQueryData(["plant", String(saved.id)], saved);
      return plantsChanged(queries);
    },
  });
}
