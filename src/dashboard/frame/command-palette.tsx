import { Text, TextInput, VisuallyHidden } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type KeyboardEvent, useState } from "react";
import { useLocation } from "wouter";
import { parsePlantId } from "#contract/plant-id.ts";
import { useAnswer } from "../api/asking.ts";
import { useSignal } from "../api/signal.ts";
import { Dialog } from "../components/dialog.tsx";
import { Icon } from "../components/icon.tsx";
import { useTokens } from "../developer/tokens.tsx";
import { usePage } from "../program/page-context.tsx";
import { type Command, commandsFor } from "./commands.ts";

const TYPING_PAUSE_MS = 200;
const PLANTS_MAX = 5;

/** Finds pages, actions, tokens, plants and requests by the text that is typed. */
export default function CommandPalette() {
  const { palette } = usePage();
  const close = () => palette.set(false);
  if (!useSignal(palette)) return null;
  return (
    <Dialog
      onClose={close}
      title={<VisuallyHidden>Search or go to</VisuallyHidden>}
      withCloseButton={false}
      padding={0}
      size="lg"
      yOffset="12vh"
      centered={false}
      styles={{ header: { minHeight: 0 } }}
    >
      <CommandSearch onClose={close} />
    </Dialog>
  );
}

/** A combobox (WAI-ARIA 1.2) whose list is always open: the keyboard stays in the field. */
function CommandSearch({ onClose }: { readonly onClose: () => void }) {
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const tokens = useTokens();
  const { plants, searching } = useFoundPlants(typed);
  const commands = commandsFor(typed, tokens.data ?? [], plants);
  const active = Math.min(chosen, commands.length - 1);
  const open = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    navigate(command.address);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, Enter: 0 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    if (step === 0) open(commands[active]);
    else setChosen((active + step + commands.length) % Math.max(1, commands.length));
  };
  return (
    <div className="palette">
      <TextInput
        role="combobox"
        aria-label="Go to a page, an action, a token or a plant"
        aria-expanded={true}
        aria-controls="commands"
        aria-activedescendant={commands[active] && `command-${active}`}
        aria-autocomplete="list"
        placeholder="Search or go to…"
        variant="unstyled"
        size="md"
        leftSection={<Icon name="search" size={18} />}
        value={typed}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={press}
        data-autofocus
      />
      <div role="listbox" id="commands" aria-label="Results" className="palette-list">
        {commands.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the keys are those of the combobox, which keeps the focus
          <div
            key={command.id}
            role="option"
            id={`command-${index}`}
            aria-selected={index === active}
            className="palette-option"
            ref={(element) => {
              if (index === active) element?.scrollIntoView({ block: "nearest" });
            }}
            onClick={() => open(command)}
          >
            <Icon name={command.icon} size={16} />
            <bdi className="cut">{command.title}</bdi>
            {command.group !== commands[index - 1]?.group && <span className="palette-group">{command.group}</span>}
          </div>
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

/** The plants whose name contains the text, and the plant with that id. */
function useFoundPlants(typed: string) {
  const [text] = useDebouncedValue(typed.trim(), TYPING_PAUSE_MS);
  const found = useAnswer(
    ["palette", text],
    async ({ client }, signal) => {
      const id = parsePlantId(text);
      const byId = id === undefined ? undefined : await client.get(id, { signal }).catch(() => undefined);
      const { plants } = await client.page({ q: text, limit: PLANTS_MAX, order: "-created_at" }, { signal });
      return [...(byId ? [byId] : []), ...plants.filter((plant) => plant.id !== byId?.id)];
    },
    { enabled: text !== "" },
  );
  const searching = typed.trim() !== text || found.isFetching;
  return { plants: text === "" ? [] : (found.data ?? []), searching };
}
