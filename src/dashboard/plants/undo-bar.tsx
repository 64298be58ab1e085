import { Group, Loader, Paper, Stack, Text } from "@mantine/core";
import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { useLocation } from "wouter";
import { useChange } from "../api/asking.ts";
import { useSignal } from "../api/signal.ts";
import { useStayQuestion } from "../browser/stay-question.ts";
import { Action } from "../components/action.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { discardDraft } from "../components/form.tsx";
import { focusTitle } from "../components/page-title.tsx";
import { type LeftDraft, usePage } from "../program/page-context.tsx";
import { counted } from "../text/numbers.ts";
import { PLANT_DATA } from "./plant-data.ts";
import { isUnderWay, type Removal } from "./removals.ts";
import { type TagChange, undoTagChange } from "./tag-change.ts";

/** How long Undo is offered; longer while the pointer or the focus is on it. */
export const UNDO_MS = 20_000;

/** The bar at the bottom of every page: removals and changed tags with Undo, and a draft that was left. */
export default function UndoBar() {
  const { removals, tagChange, leftDraft } = usePage();
  const current = useSignal(removals.current);
  const left = useSignal(leftDraft);
  const tagged = useSignal(tagChange);
  useStayQuestion(isUnderWay(current));
  return (
    <Stack gap="xs">
      {current && (
        <Paper withBorder shadow="md" p="sm" radius="lg">
          <Content removal={current} />
        </Paper>
      )}
      {tagged && (
        <Paper withBorder shadow="md" p="sm" radius="lg">
          <TagChangeNotice change={tagged} />
        </Paper>
      )}
      {left && (
        <Paper key={left.draft} withBorder shadow="md" p="sm" radius="lg">
          <LeftDraftNotice left={left} />
        </Paper>
      )}
    </Stack>
  );
}

function TagChangeNotice({ change }: { readonly change: TagChange }) {
  const { tagChange } = usePage();
  const end = () => tagChange.set(undefined);
  const undo = useChange(({ client }) => undoTagChange(client, change), { changes: PLANT_DATA, done: end });
  return (
    <Passing onEnd={() => undo.isPending || end()}>
      <Stack gap="xs">
        <Text>The tag of {counted(change.before.size, "plant")} is changed</Text>
        <FailureNotice cause={undo.error} title="Not every tag could be brought back" />
      </Stack>
      <Action kind="main" label="Undo" size="xs" flex="none" change={undo} />
    </Passing>
  );
}

function LeftDraftNotice({ left: { draft, text, address } }: { readonly left: LeftDraft }) {
  const { leftDraft } = usePage();
  const [, navigate] = useLocation();
  const end = () => leftDraft.set(undefined);
  const discard = () => {
    discardDraft(draft);
    end();
  };
  return (
    <Passing onEnd={end}>
      <Text className="breaks" lineClamp={3}>
        {text}
      </Text>
      <Group gap="xs" wrap="nowrap" flex="none">
        <Action label="Continue" size="xs" onClick={() => navigate(address)} />
        <Action kind="quiet" label="Discard" size="xs" onClick={discard} />
      </Group>
    </Passing>
  );
}

function Content({ removal }: { readonly removal: Removal }) {
  const { removals } = usePage();
  const { ids, state } = removal;
  const plants = counted(ids.length, "plant");
  const close = () => removals.dismiss();
  if (state === "failed") {
    const { cause, act, again } = removal;
    return (
      <Stack gap="xs">
        <FailureNotice cause={cause} title={`${plants} could not be ${act}`} retry={again} />
        <Action label="Close" onClick={close} />
      </Stack>
    );
  }
  if (state === "asked") {
    return (
      <Stack gap="xs">
        <Text>This service keeps no history, so {plants} could not be brought back.</Text>
        <Group gap="sm">
          <Action kind="danger" label={`Remove ${plants}`} size="xs" onClick={() => void removals.removeForGood()} />
          <Action label="Keep" size="xs" onClick={close} />
        </Group>
      </Stack>
    );
  }
  if (state === "removed") return <Undoable plants={plants} />;
  const text = state === "removing" ? `Removing ${plants}` : `Restoring ${plants}`;
  return (
    <Group gap="md" wrap="nowrap" justify="space-between">
      <Text>{text}</Text>
      <Loader size="sm" aria-hidden="true" />
    </Group>
  );
}

function Undoable({ plants }: { readonly plants: string }) {
  const { removals } = usePage();
  return (
    <Passing onEnd={() => removals.dismiss()}>
      <Text>{plants} removed</Text>
      <Action
        kind="main"
        label="Undo"
        size="xs"
        flex="none"
        onClick={() => void removals.undo()}
        // It may come late, while the reader is typing elsewhere.
        autoFocus={!document.activeElement?.matches("input, textarea")}
      />
    </Passing>
  );
}

/** A notice that goes by itself, unless the pointer or the focus is on it. */
function Passing({ onEnd, children }: { readonly onEnd: () => void; readonly children: ReactNode }) {
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const end = useEffectEvent(onEnd);
  const held = pointed || focused;
  useEffect(() => {
    if (held) return;
    const timer = setTimeout(() => end(), UNDO_MS);
    return () => clearTimeout(timer);
  }, [held]);
  useEffect(
    () => () => {
      // Below it is nothing to which the keyboard could go on.
      if (document.activeElement === document.body) focusTitle();
    },
    [],
  );
  return (
    <Group
      gap="md"
      wrap="nowrap"
      justify="space-between"
      onMouseEnter={() => setPointed(true)}
      onMouseLeave={() => setPointed(false)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
    >
      {children}
    </Group>
  );
}
