import { Alert, Group, Table, Text } from "@mantine/core";
import { type MouseEvent, useEffect, useEffectEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { PlantstoreError } from "#client/error.ts";
import type { StoredPlant } from "#client/plant.ts";
import { LABELS, MEMBER_NAMES } from "#contract/plant-members.ts";
import { useAnswer } from "../api/asking.ts";
import { Action } from "../components/action.tsx";
import { useAnnounce } from "../components/announcer.tsx";
import { DetailsList } from "../components/details.tsx";
import { Form, useForm } from "../components/form.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { usePage } from "../program/page-context.tsx";
import { PLANTS } from "../program/pages.ts";
import { useSession } from "../session/session.ts";
import { excerpt } from "../text/sentence.ts";
import { doerText, sentenceStart } from "./doer-text.ts";
import { useLeftDraft } from "./left-draft.ts";
import { PLANT_DATA, PLANTS_KEY, plantsChanged } from "./plant-data.ts";
import { detailsOf } from "./plant-details.tsx";
import { BLANK, isBlank, PlantFields, type TypedTexts, typedTexts } from "./plant-fields.tsx";

interface PlantEditorProps {
  readonly plant: StoredPlant;
  readonly onReload: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/**
 * Sends only what was changed here, and only over the version that the reader has seen: the plant may be read anew while
 * its fields are being changed, or after a reload of the page, which keeps them.
 */
export function PlantEditor({ plant, onReload, onClose, onSaved }: PlantEditorProps) {
  const id = String(plant.id);
  const announce = useAnnounce();
  const { removals, queries } = usePage();
  const nameField = useRef<HTMLTextAreaElement>(null);
  const draft = `plant:${id}`;
  const form = useForm({
    draft,
    initial: typedTexts(plant),
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
  const [wasDraft] = useState(form.isChanged);
  useLeftDraft(
    draft,
    `Your changes to ${excerpt(plant.name) || id} are kept, and not saved yet.`,
    `${PLANTS}?plant=${id}`,
  );
  const refused = form.error instanceof PlantstoreError && form.error.status === 412;
  const reload = useEffectEvent(async () => {
    // Its history and its row are of before that change, too.
    await Promise.all([onReload(), plantsChanged(queries)]);
    form.reset();
  });
  const isStale = refused && !form.isOvertaken;
  useEffect(() => {
    if (isStale) void reload();
  }, [isStale]);
  const remove = () => {
    form.restart();
    void removals.remove([id]);
    onClose();
  };
  const takeTheirs = () => {
    form.restart();
    nameField.current?.focus();
  };
  return (
    <Form
      form={form}
      label={form.problems.name ? "Save with a blank name" : "Save"}
      failure="The plant could not be saved"
      disabled={!form.isChanged || form.isOvertaken}
      aside={<Action label="Remove" variant="subtle" kind="danger" onClick={remove} />}
      notice={isStale ? " " : undefined}
    >
      {form.isOvertaken && (
        <Conflict
          plant={plant}
          mine={form.values}
          onSaveMine={(event) => saveOver(event, form.keepTyped)}
          onTakeTheirs={takeTheirs}
        />
      )}
      {wasDraft && form.isChanged && !form.isOvertaken && <Unsaved onDiscard={takeTheirs} />}
      <PlantFields form={form} nameField={nameField} />
      <DetailsList of={detailsOf(plant)} />
    </Form>
  );
}

/** Sends the form of a button, once it is typed over the version that is there now. */
function saveOver({ currentTarget }: MouseEvent, keepTyped: () => void): void {
  const form = currentTarget.closest("form");
  flushSync(keepTyped);
  form?.requestSubmit();
}

/** Says of what was typed at an earlier time that it is not the plant's yet. */
function Unsaved({ onDiscard }: { readonly onDiscard: () => void }) {
  return (
    <Alert color="yellow" role="status" title="You have changes that are not saved">
      <Group gap="xs">
        <Action
          label="Save changes"
          size="xs"
          kind="main"
          onClick={({ currentTarget }) => currentTarget.closest("form")?.requestSubmit()}
        />
        <Action label="Discard" size="xs" onClick={onDiscard} />
      </Group>
    </Alert>
  );
}

interface ConflictProps {
  readonly plant: StoredPlant;
  readonly mine: TypedTexts;
  readonly onSaveMine: (event: MouseEvent) => void;
  readonly onTakeTheirs: () => void;
}

/** Somebody else's change beside one's own text, of which the reader takes one. */
function Conflict({ plant, mine, onSaveMine, onTakeTheirs }: ConflictProps) {
  const theirs = typedTexts(plant);
  const differing = MEMBER_NAMES.filter((member) => mine[member] !== theirs[member]);
  return (
    <Alert color="yellow" role="status" title={<WhoChanged plant={plant} />}>
      <Table
        layout="fixed"
        verticalSpacing={4}
        horizontalSpacing={0}
        withRowBorders={false}
        mb="sm"
        fz="sm"
        aria-label="Both versions"
      >
        <Table.Thead>
          <Table.Tr>
            <Table.Td w={52} />
            <Table.Th>Yours</Table.Th>
            <Table.Th>Theirs</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {differing.map((member) => (
            <Table.Tr key={member} style={{ verticalAlign: "top" }}>
              <Table.Th scope="row" c="dimmed" fw={400}>
                {LABELS[member]}
              </Table.Th>
              <Version text={mine[member]} />
              <Version text={theirs[member]} />
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Group gap="xs">
        <Action label="Save mine" size="xs" kind="main" onClick={onSaveMine} />
        <Action label="Take theirs" size="xs" onClick={onTakeTheirs} />
      </Group>
    </Alert>
  );
}

function Version({ text }: { readonly text: string | null }) {
  return (
    <Table.Td className="breaks" pr={8}>
      {text?.trim() ? <bdi translate="no">{excerpt(text)}</bdi> : <i>{text === null ? "none" : "blank"}</i>}
    </Table.Td>
  );
}

/** "Ella Brandt changed the name 1 minute ago", as the newest event of the plant tells it. */
function WhoChanged({ plant: { id, updatedAt } }: Pick<ConflictProps, "plant">) {
  const { account } = useSession();
  const newest = useAnswer(
    [PLANTS_KEY, "newest-event", String(id), updatedAt.getTime()],
    async ({ client }, signal) => {
      const { events } = await client.eventPage({ plant: id, order: "-timestamp", limit: 1 }, { signal });
      return events[0] ?? null;
    },
  );
  const { by, previous } = newest.data ?? {};
  // The newest event may be no change, and then nothing tells who made it.
  const doer = previous && (by?.id === account.id ? "You" : doerText(by));
  const what =
    previous &&
    Object.keys(previous)
      .map((member) => `the ${member}`)
      .join(" and ");
  return (
    <Text span inherit className="breaks">
      {doer === undefined ? "Somebody else" : <bdi translate="no">{sentenceStart(doer)}</bdi>} changed{" "}
      {what ?? "this plant"} <RelativeTime at={updatedAt} />
    </Text>
  );
}
