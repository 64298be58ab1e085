import { Text, TextInput, VisuallyHidden } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useState } from "react";
import { useLocation } from "wouter";
import { parsePlantId } from "#contract/plant-id.ts";
import { useSignal } from "../api/signal.ts";
import { Dialog } from "../components/dialog.tsx";
import { Icon } from "../components/icon.tsx";
import { useTokens } from "../developer/tokens.ts";
import { usePage, useService } from "../program/page-context.tsx";
import { type Command, commandsFor } from "./commands.ts";

const TYPING_PAUSE_MS = 200;
const PLANTS_MAX = 5;

/** Finds pages, actions, tokens, plants and requests by the text that is typed. */
export default function CommandPalette() {
  const { palette } = usePage();
  const opened = useSignal(palette);
  const close = () => palette.set(false);
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title={<VisuallyHidden>Search or go to</VisuallyHidden>}
      withCloseButton={false}
      padding={0}
      size="lg"
      yOffset="12vh"
      centered={false}
      styles={{ header: { minHeight: 0 } }}
    >
      {opened && <CommandSearch onClose={close} />}
    </Dialog>
  );
}

function CommandSearch({ onClose }: { readonly onClose: () => void }) {
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const tokens = useTokens();
  const { plants, searching } = useFoundPlants(typed);
  const commands = commandsFor(typed, tokens.data ?? [], plants);
  const active = commands[Math.min(chosen, commands.length - 1)];
  const open = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    navigate(command.address);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setChosen((commands.indexOf(active as Command) + step + commands.length) % Math.max(1, commands.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      open(active);
    }
  };
  return (
    <div className="palette">
      <TextInput
        role="combobox"
        aria-label="Go to a page, an action, a token or a plant"
        aria-expanded={true}
        aria-controls="commands"
        aria-activedescendant={active ? optionId(active) : undefined}
        aria-autocomplete="list"
        placeholder="Search or go to…"
        variant="unstyled"
        size="md"
        leftSection={<Icon name="search" size={18} />}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={press}
        data-autofocus
      />
      <div role="listbox" id="commands" aria-label="Results" className="palette-list">
        {commands.map((command, index) => (
          <CommandOption
            key={command.id}
            command={command}
            first={command.group !== commands[index - 1]?.group}
            active={command === active}
            onOpen={() => open(command)}
          />
        ))}
      </div>
      {commands.length === 0 && (
        <Text p="md" c="dimmed" role="status">
          {searching ? "Searching…" : "No results"}
        </Text>
      )}
    </div>
  );
}

function optionId({ id }: Command): string {
  return `command-${id.replaceAll(/[^\w-]/g, "-")}`;
}

/** The plants whose name contains the text, and the plant with that id. */
function useFoundPlants(typed: string) {
  const { plants } = useService();
  const [text] = useDebouncedValue(typed.trim(), TYPING_PAUSE_MS);
  const found = useQuery({
    queryKey: ["palette", text],
    queryFn: async ({ signal }) => {
      const id = parsePlantId(text);
      const byId =
        id === undefined
          ? []
          : await plants.get(id, { signal }).then(
              (plant) => [plant],
              () => [],
            );
      const { plants: named } = await plants.page({ q: text, limit: PLANTS_MAX, order: "-created_at" }, { signal });
      return [...byId, ...named.filter(({ id: other }) => other !== id)];
    },
    enabled: text !== "",
  });
  const plantsFound = text === "" ? [] : (found.data ?? []);
  return { plants: plantsFound, searching: typed.trim() !== text || found.isFetching };
}

interface CommandOptionProps {
  readonly command: Command;
  /** True for the first of its group. */
  readonly first: boolean;
  readonly active: boolean;
  readonly onOpen: () => void;
}

function CommandOption({ command, first, active, onOpen }: CommandOptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the keys are those of the combobox, which keeps the focus
    <div
      role="option"
      id={optionId(command)}
      aria-selected={active}
      className="palette-option"
      ref={(element) => {
        if (active) element?.scrollIntoView({ block: "nearest" });
      }}
      onClick={onOpen}
    >
      <Icon name={command.icon} size={16} />
      <span className="cut">
        <bdi>{command.title}</bdi>
      </span>
      {first && <span className="palette-group">{command.group}</span>}
    </div>
  );
}
