import { Alert, TextInput } from "@mantine/core";
import { useLayoutEffect, useRef, useState } from "react";
import type { NextId } from "#contract/dashboard/plants.ts";
import { typedPlantId } from "#contract/plant-id.ts";
import { withOptional } from "#contract/plant-members.ts";
import { useAnswer } from "../api/asking.ts";
import { RequestFailure } from "../api/failure.ts";
import { Action } from "../components/action.tsx";
import { Form, useForm } from "../components/form.tsx";
import { Icon } from "../components/icon.tsx";
import { usePage } from "../program/page-context.tsx";
import { PLANTS } from "../program/pages.ts";
import { useLeftDraft } from "./left-draft.ts";
import { PLANT_DATA, PLANTS_KEY } from "./plant-data.ts";
import { BLANK, isBlank, PlantFields, typedTexts } from "./plant-fields.tsx";

const NO_ID = "Type a whole number, at most 9223372036854775807.";

/** The form that adds a plant. It stays open for the next one. */
export function PlantAdder({ onClose }: { readonly onClose: () => void }) {
  const { removals } = usePage();
  useLeftDraft("new-plant", "The plant that you began to add is kept, and not added yet.", `${PLANTS}?open=add`);
  const [added, setAdded] = useState<string>();
  const idField = useRef<HTMLInputElement>(null);
  const next = useAnswer<NextId>([PLANTS_KEY, "next-id"], (service) => service.api("GET", "/plants/next-id"));
  // The suggestion of before stays until the next one has come.
  const [taken, setTaken] = useState<string>();
  const suggested = next.data?.id === taken ? undefined : next.data?.id;
  const isAwaited = suggested === undefined && next.isFetching;
  useLayoutEffect(() => {
    const field = idField.current;
    // The next key replaces a suggestion that comes just then, and is not added to its digits.
    if (field === document.activeElement && field?.value === suggested) field?.select();
  }, [suggested]);
  const form = useForm({
    draft: "new-plant",
    initial: { id: suggested ?? "", ...typedTexts({ name: "" }) },
    restarts: true,
    check: ({ id, name }, shown) => {
      setAdded(undefined);
      const hasId = typedPlantId(id) !== undefined || (isAwaited && id.trim() === "");
      if (!hasId) return { id: NO_ID };
      return isBlank(name) && !shown.name ? { name: BLANK } : {};
    },
    send: async ({ client }, { id: typedId, ...texts }) => {
      // The id may be that of a plant that is being removed.
      await removals.settled();
      // A field that is left empty gets the suggestion that is still to come.
      const given = typedId.trim() || (await next.refetch({ cancelRefetch: false })).data?.id;
      const id = typedPlantId(given ?? "");
      if (id === undefined) throw new RequestFailure(400, undefined, "No id could be suggested. Type one.", undefined);
      const { replayed } = await client.create({
        id,
        ...withOptional({ name: texts.name }, (member) => texts[member] ?? undefined),
      });
      const taken = given?.trim() === String(id) ? "" : `. ${given?.trim()} was taken as ${id}.`;
      return { id: String(id), said: `Plant ${id} was ${replayed ? "there already" : "added"}${taken}` };
    },
    changes: PLANT_DATA,
    next: "name",
    done: ({ id, said }) => {
      setAdded(said);
      setTaken(id);
    },
  });
  return (
    <Form
      form={form}
      label={form.problems.name ? "Add with a blank name" : "Add plant"}
      failure="The plant could not be added"
      aside={<Action label="Close" onClick={onClose} ml="auto" />}
    >
      <div role="status">
        {added && (
          <Alert color="leaf" icon={<Icon name="check" />}>
            {added}
          </Alert>
        )}
      </div>
      <PlantFields form={form} />
      <TextInput
        {...form.field("id", "Id")}
        ref={idField}
        description="A number of up to 19 digits that no other plant of yours has. The next free one is suggested."
        inputMode="numeric"
        className="mono-input"
        required={!isAwaited}
      />
    </Form>
  );
}
