import { Box, NavLink, Text, TextInput, VisuallyHidden } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type KeyboardEvent, useState } from "react";
import { useLocation } from "wouter";
import type { StoredPlant } from "#client/plant.ts";
import type { Right } from "#contract/dashboard/role.ts";
import type { TokenRecord } from "#contract/dashboard/tokens.ts";
import { typedPlantId } from "#contract/plant-id.ts";
import { useAnswer } from "../api/asking.ts";
import { useSignal } from "../api/signal.ts";
import { Dialog } from "../components/dialog.tsx";
import { Icon, type IconName } from "../components/icon.tsx";
import { useTokens } from "../developer/tokens.tsx";
import { useSearchOfText } from "../plants/plants-list.ts";
import { usePage } from "../program/page-context.tsx";
import { DEVELOPER, offeredSections, PLANTS, rightOf, SETTINGS } from "../program/pages.ts";
import { useMay } from "../session/session.ts";
import { hasWords } from "../text/has-words.ts";
import { excerpt } from "../text/sentence.ts";

/** The most plants, and the most tokens, that are offered. */
const FOUND_MAX = 5;

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
  // The choice is kept as an address, because tokens and plants found later change its position.
  const [chosen, setChosen] = useState<string>();
  const may = useMay();
  const tokens = useTokens();
  const { plants, searching } = useFoundPlants(useSearchOfText()(typed), may("read plants"));
  const commands = commandsFor(typed, tokens.data ?? [], plants, may);
  const found = commands.findIndex(({ address }) => address === chosen);
  const active = Math.max(0, found);
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
    else setChosen(commands.at((active + step) % commands.length)?.address);
  };
  return (
    <>
      <TextInput
        px={8}
        py={4}
        style={{ borderBottom: "1px solid var(--plantstore-line)" }}
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
          setChosen(undefined);
        }}
        onKeyDown={press}
        data-autofocus
      />
      <Box role="listbox" id="commands" aria-label="Results" p={6} mah="min(380px, 50vh)" style={{ overflowY: "auto" }}>
        {commands.map((command, index) => (
          // The keys are those of the combobox, which keeps the focus.
          <NavLink
            key={`${command.group} ${command.address}`}
            component="div"
            role="option"
            id={`command-${index}`}
            aria-selected={index === active}
            active={index === active}
            ref={(element) => {
              if (index === active) element?.scrollIntoView({ block: "nearest" });
            }}
            onClick={() => open(command)}
            leftSection={<Icon name={command.icon} size={16} />}
            label={<bdi translate={/^(Plants|Tokens)$/.test(command.group) ? "no" : undefined}>{command.title}</bdi>}
            rightSection={
              command.group !== commands[index - 1]?.group && (
                <Text span size="xs" c={index === active ? undefined : "dimmed"}>
                  {command.group}
                </Text>
              )
            }
            noWrap
          />
        ))}
      </Box>
      {commands.length === 0 && (
        <Text p="md" c="dimmed" role="status">
          {searching ? "Searching…" : "No results"}
        </Text>
      )}
    </>
  );
}

/** The plants whose name contains the text, and the plant with that id. */
function useFoundPlants(typed: string, allowed: boolean) {
  const [text] = useDebouncedValue(typed.trim(), 200);
  const found = useAnswer(
    ["palette", text],
    async ({ client }, signal) => {
      const id = typedPlantId(text);
      const byId = id === undefined ? undefined : await client.get(id, { signal }).catch(() => undefined);
      const { plants } = await client.page({ q: text, limit: FOUND_MAX, order: "-created_at" }, { signal });
      return [...(byId ? [byId] : []), ...plants.filter((plant) => plant.id !== byId?.id)];
    },
    { enabled: allowed && text !== "" },
  );
  // Those of an earlier text are no answer to this one: Enter would open one of them.
  const isEarlier = typed.trim() !== text;
  return { plants: isEarlier ? [] : (found.data ?? []), searching: isEarlier || found.isFetching };
}

interface Command {
  readonly title: string;
  readonly group: "Actions" | "Pages" | "Tokens" | "Plants" | "Requests";
  readonly icon: IconName;
  readonly address: string;
  /** Further words that find it. */
  readonly words?: string;
  readonly right?: Right;
}

function command(group: Command["group"], icon: IconName, title: string, address: string, words?: string): Command {
  return { title, group, icon, address, words, right: rightOf(address) };
}

function taking(right: Right, command: Command): Command {
  return { ...command, right };
}

const ACTIONS: readonly Command[] = [
  taking("change plants", command("Actions", "plus", "Add plant", `${PLANTS}?open=add`, "new create")),
  taking("change plants", command("Actions", "upload", "Import plants", `${PLANTS}?open=import`, "CSV NDJSON file")),
  command("Actions", "key", "Create token", `${DEVELOPER}/tokens?make=token`, "new API key"),
  command("Actions", "link", "Add webhook endpoint", `${DEVELOPER}/webhooks?add=webhook`, "new"),
  taking("manage people", command("Actions", "user", "Invite somebody", `${SETTINGS}/people?do=invite`, "new person")),
];

function pagesFor(may: (right: Right | undefined) => boolean): Command[] {
  return offeredSections(may).flatMap(({ title: section, icon, pages }) =>
    pages.map(({ path, title, words }) =>
      command("Pages", icon, pages.length === 1 ? title : `${section}: ${title}`, path, words),
    ),
  );
}

/** The commands that contain every typed word, followed by the plants found for them. */
export function commandsFor(
  typed: string,
  tokens: readonly TokenRecord[],
  plants: readonly StoredPlant[],
  may: (right: Right | undefined) => boolean,
): Command[] {
  const id = typed.trim();
  const fixed = [...ACTIONS, ...pagesFor(may)].filter(
    ({ title, words = "", right }) => may(right) && hasWords(`${title} ${words}`, id),
  );
  if (id === "") return fixed;
  const request = command("Requests", "developer", `Request ${id}`, `${DEVELOPER}/requests/${encodeURIComponent(id)}`);
  const named = tokens.filter(({ name, hint }) => hasWords(`${name} ${hint}`, id)).slice(0, FOUND_MAX);
  return [
    ...(id.startsWith("req_") && may("read requests") ? [request] : []),
    ...fixed,
    ...named.map(({ id, name }) => command("Tokens", "key", name, `${DEVELOPER}/tokens?token=${id}`)),
    ...plants.map(({ id, name }) =>
      command("Plants", "plant", `${excerpt(name) || "(blank)"} · ${id}`, `${PLANTS}?plant=${id}`),
    ),
  ];
}
