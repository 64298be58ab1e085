import { Alert, Button, Group, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { parsePlantId } from "#contract/plant-id.ts";
import { useDraft } from "../browser/draft.ts";
import { FailureNotice } from "../components/failure-notice.tsx";
import { Icon } from "../components/icon.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { usePage } from "../program/page-context.tsx";
import { BlankNameQuestion, isBlank } from "./blank-name.tsx";
import { PlantFields } from "./plant-fields.tsx";
import { plantsChanged } from "./plants-changed.ts";

const EMPTY = { id: "", name: "", tag: "" };

/** The form that adds a plant. It stays open for the next one. */
export function PlantAdder({ onClose }: { readonly onClose: () => void }) {
  const { form, change, restart } = useDraft("new-plant", EMPTY);
  const [wrongId, setWrongId] = useState(false);
  const [questioned, setQuestioned] = useState(false);
  const [added, setAdded] = useState<string>();
  const idInput = useRef<HTMLInputElement>(null);
  const add = useAddPlant();
  const submit = () => {
    const id = parsePlantId(form.id.trim());
    setWrongId(id === undefined);
    setAdded(undefined);
    if (id === undefined) return idInput.current?.focus();
    if (isBlank(form.name) && !questioned) return setQuestioned(true);
    add.mutate(
      { id, name: form.name, ...(form.tag === "" ? {} : { tag: form.tag }) },
      {
        onSuccess: ({ replayed }) => {
          setAdded(replayed ? `Plant ${id} was there already` : `Plant ${id} was added`);
          setQuestioned(false);
          restart(EMPTY);
          idInput.current?.focus();
        },
      },
    );
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack>
        <div role="status">
          {added && (
            <Alert color="leaf" icon={<Icon name="check" />}>
              {added}
            </Alert>
          )}
        </div>
        <TextInput
          ref={idInput}
          label="Id"
          description="A whole number that no other plant of yours has"
          inputMode="numeric"
          value={form.id}
          onChange={(event) => change({ id: event.currentTarget.value })}
          error={wrongId && "A whole number from -9223372036854775808 to 9223372036854775807"}
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
          required
          data-autofocus
        />
        <PlantFields name={form.name} tag={form.tag} onChange={change} />
        {questioned && isBlank(form.name) && <BlankNameQuestion />}
        <FailureNotice cause={add.error} title="The plant could not be added" />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <SubmitButton pending={add.isPending}>
            {questioned && isBlank(form.name) ? "Add with a blank name" : "Add plant"}
          </SubmitButton>
        </Group>
      </Stack>
    </form>
  );
}

function useAddPlant() {
  const { service, removals } = usePage();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (plant: { id: bigint; name: string; tag?: string }) => {
      await removals.removeNow();
      return service.plants.create(plant);
    },
    onSuccess: () => plantsChanged(queries),
  });
}
