import { Alert, Group, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { type ChangeEvent, type RefObject, useLayoutEffect, useRef, useState } from "react";
import { PlantstoreError } from "#client/error.ts";
import type { StoredPlant } from "#client/plant.ts";
import type { NextId } from "#contract/dashboard/plants.ts";
import { parsePlantId, typedPlantId } from "#contract/plant-id.ts";
import { useAnswer } from "../api/asking.ts";
import { RequestFailure } from "../api/failure.ts";
import { Action } from "../components/action.tsx";
import { useAnnounce } from "../components/announcer.tsx";
import { Answered } from "../components/answered.tsx";
import { CopiedCode } from "../components/copy-button.tsx";
import { DetailsList } from "../components/details.tsx";
import { SidePanel } from "../components/dialog.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { SuggestingInput } from "../components/filters.tsx";
import { Form, type FormFields, useForm } from "../components/form.tsx";
import { Icon } from "../components/icon.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { usePage } from "../program/page-context.tsx";
import { useMay } from "../session/session.ts";
import { excerpt } from "../text/sentence.ts";
import { isLong, LongText, type LongTextProps } from "./long-text.tsx";
import { isUnknownPlant, PLANT_DATA, PLANTS_KEY, plantsChanged } from "./plant-data.ts";
import { PlantHistory } from "./plant-history.tsx";
import { useTagSuggestions } from "./plants-list.ts";

interface PlantPanelProps {
  /** The plant to read and edit; one is added if there is none. */
  readonly id: string | undefined;
  readonly onClose: () => void;
}

export function PlantPanel({ id, onClose }: PlantPanelProps) {
  return (
    <SidePanel onClose={onClose} size={440} title={id === undefined ? "Add plant" : `Plant ${id}`}>
      {id === undefined ? (
        <PlantAdder onClose={onClose} />
      ) : (
        <PlantReader key={id} id={id} onClose={onClose} onSaved={onClose} />
      )}
    </SidePanel>
  );
}

const NO_ID = "A whole number from -9223372036854775808 to 9223372036854775807";
/** The API accepts a blank name, but a person who leaves it blank has more likely forgotten it. */
const BLANK = "The name is blank. Save the plant anyway?";

function isBlank(name: string): boolean {
  return name.trim() === "";
}

interface PlantFieldsProps {
  readonly form: Pick<FormFields<{ name: string; tag: string | null }>, "field" | "change">;
  readonly nameField?: RefObject<HTMLTextAreaElement | null>;
}

function PlantFields({ form, nameField }: PlantFieldsProps) {
  return (
    <>
      <LongText
        {...form.field("name", "Name")}
        onChange={(name) => form.change({ name })}
        ref={nameField}
        data-autofocus
      />
      <TagField
        {...form.field("tag", "Tag")}
        onChange={(tag) => form.change({ tag: tag || null })}
        description="Its type, for example indoor. Leave it empty for none."
      />
    </>
  );
}

/** Suggests the tags of the account. The one line of this field would drop the others of a tag that has several. */
function TagField({ onChange, ...props }: Omit<LongTextProps, "ref">) {
  const [lines] = useState(() => props.value.includes("\n") || isLong(props.value));
  const suggestions = useTagSuggestions();
  if (lines) return <LongText {...props} onChange={onChange} />;
  const change = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => onChange(currentTarget.value);
  return <SuggestingInput {...props} onChange={change} suggestions={suggestions} />;
}

/** The form that adds a plant. It stays open for the next one. */
function PlantAdder({ onClose }: { readonly onClose: () => void }) {
  const { removals } = usePage();
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
    initial: { id: suggested ?? "", name: "", tag: null as string | null },
    restarts: true,
    check: ({ id, name }, shown) => {
      setAdded(undefined);
      const hasId = typedPlantId(id) !== undefined || (isAwaited && id.trim() === "");
      if (!hasId) return { id: NO_ID };
      return isBlank(name) && !shown.name ? { name: BLANK } : {};
    },
    send: async ({ client }, { id: typedId, name, tag }) => {
      // The id may be that of a plant that is being removed.
      await removals.settled();
      // A field that is left empty gets the suggestion that is still to come.
      const given = typedId.trim() || (await next.refetch({ cancelRefetch: false })).data?.id;
      const id = typedPlantId(given ?? "");
      if (id === undefined) throw new RequestFailure(400, undefined, "No id could be suggested. Type one.", undefined);
      const { replayed } = await client.create({ id, name, ...(tag === null ? {} : { tag }) });
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

interface PlantReaderProps {
  readonly id: string;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

export function PlantReader({ id, onClose, onSaved }: PlantReaderProps) {
  const exact = parsePlantId(id);
  const may = useMay()("change plants");
  const plant = useAnswer(["plant", id], ({ client }, signal) => client.get(exact ?? 0n, { signal }), {
    enabled: exact !== undefined,
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
  if (exact === undefined) return <Text role="alert">{id} is not an id.</Text>;
  const shape = (
    <Stack>
      <Skeleton h={60} />
      <Skeleton h={60} />
      <Skeleton h={90} />
    </Stack>
  );
  if (isUnknownPlant(plant.error) && !plant.data) return <MissingPlant id={exact} onRestored={plant.refetch} />;
  return (
    <Answered query={plant} data={plant.data} shape={shape}>
      {(known) => (
        <>
          {may ? (
            <PlantEditor plant={known} onReload={plant.refetch} onClose={onClose} onSaved={onSaved} />
          ) : (
            <PlantView plant={known} />
          )}
          <PlantHistory
            id={known.id}
            now={known}
            restore={({ client }, { name, tag = null }) =>
              client.change(known.id, { name, tag }, { ifMatch: known.etag })
            }
            onRestored={plant.refetch}
          />
        </>
      )}
    </Answered>
  );
}

function MissingPlant({ id, onRestored }: { readonly id: bigint; readonly onRestored: () => unknown }) {
  return (
    <>
      <Text role="alert">There is no plant with this id.</Text>
      <PlantHistory
        id={id}
        now={undefined}
        restore={({ client }, texts) => client.create({ id, ...texts })}
        onRestored={onRestored}
      />
    </>
  );
}

const OVERTAKEN = "Your text is kept here. Load the current plant to see what it is now.";

interface PlantEditorProps extends Pick<PlantReaderProps, "onClose" | "onSaved"> {
  readonly plant: StoredPlant;
  readonly onReload: () => Promise<unknown>;
}

/**
 * Sends only what was changed here, and only over the version that the reader has seen: the plant may be read anew while
 * its fields are being changed, or after a reload of the page, which keeps them.
 */
function PlantEditor({ plant, onReload, onClose, onSaved }: PlantEditorProps) {
  const id = String(plant.id);
  const announce = useAnnounce();
  const { removals, queries } = usePage();
  const nameField = useRef<HTMLTextAreaElement>(null);
  const form = useForm({
    draft: `plant:${id}`,
    initial: { name: plant.name, tag: plant.tag ?? null },
    version: plant.etag,
    check: ({ name }, shown): { name?: string } =>
      isBlank(name) && name !== plant.name && !shown.name ? { name: BLANK } : {},
    send: ({ client }, _, changed, over) => client.change(plant.id, changed, { ifMatch: over }),
    changes: PLANT_DATA,
    done: (saved) => {
      if (saved) queries.setQueryData(["plant", id], saved);
      announce("Saved");
    },
    close: onSaved,
  });
  const reload = async () => {
    // Its history and its row are of before that change, too.
    await Promise.all([onReload(), plantsChanged(queries)]);
    form.reset();
    nameField.current?.focus();
  };
  const remove = () => {
    void removals.remove([id]);
    onClose();
  };
  const choose = (choice: () => void) => {
    choice();
    nameField.current?.focus();
  };
  const refused = form.error instanceof PlantstoreError && form.error.status === 412;
  return (
    <Form
      form={form}
      label={form.problems.name ? "Save with a blank name" : "Save"}
      failure="The plant could not be saved"
      disabled={!form.isChanged || form.isOvertaken}
      aside={<Action label="Remove" variant="subtle" kind="danger" onClick={remove} />}
      notice={
        refused && !form.isOvertaken ? (
          <FailureNotice
            cause={new RequestFailure(412, undefined, OVERTAKEN, undefined)}
            title="Somebody else changed this plant"
            retry={reload}
            retryLabel="Load the current plant"
          />
        ) : undefined
      }
    >
      {form.isOvertaken && (
        <CurrentPlant plant={plant} onKeep={() => choose(form.keepTyped)} onTake={() => choose(form.restart)} />
      )}
      <PlantFields form={form} nameField={nameField} />
      <DetailsList of={detailsOf(plant)} />
    </Form>
  );
}

function detailsOf({ id, createdAt, updatedAt }: StoredPlant) {
  return {
    Id: <CopiedCode value={String(id)} what="id" />,
    Added: <RelativeTime at={createdAt} />,
    Changed: <RelativeTime at={updatedAt} />,
  };
}

/** For a reader who changes no plants. */
function PlantView({ plant }: { readonly plant: StoredPlant }) {
  const { name, tag } = plant;
  const shown = {
    Name: <bdi translate="no">{excerpt(name)}</bdi>,
    Tag: tag && <bdi translate="no">{excerpt(tag)}</bdi>,
  };
  return <DetailsList of={{ ...shown, ...detailsOf(plant) }} />;
}

interface CurrentPlantProps {
  readonly plant: StoredPlant;
  readonly onKeep: () => void;
  readonly onTake: () => void;
}

/** The plant as somebody else has changed it, above the text typed here; the reader chooses. */
function CurrentPlant({ plant: { name, tag }, onKeep, onTake }: CurrentPlantProps) {
  return (
    <Alert color="yellow" role="status" title="Somebody else changed this plant">
      <Stack gap="sm">
        <Text size="sm">It is now:</Text>
        <Text size="sm" className="breaks">
          Name: <bdi translate="no">{excerpt(name)}</bdi>
          <br />
          Tag: {tag === undefined ? "none" : <bdi translate="no">{excerpt(tag)}</bdi>}
        </Text>
        <Text size="sm">Your text is still in the fields, and not saved yet.</Text>
        <Group gap="xs">
          <Action label="Keep my text" size="xs" onClick={onKeep} />
          <Action label="Use theirs" size="xs" onClick={onTake} />
        </Group>
      </Stack>
    </Alert>
  );
}
