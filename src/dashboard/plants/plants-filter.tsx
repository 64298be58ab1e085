import { CloseButton, Group, Pill, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useId, useState } from "react";
import { Icon } from "../components/icon.tsx";
import type { ChangePlantsAddress, PlantsAddress } from "./plants-address.ts";

const TYPING_PAUSE_MS = 300;

interface PlantsFilterProps {
  readonly address: PlantsAddress;
  readonly onChange: ChangePlantsAddress;
  /** Tags to suggest. */
  readonly tags: readonly string[];
}

/** The search and the tag filter wait for a pause in typing. */
export function PlantsFilter({ address, onChange, tags }: PlantsFilterProps) {
  return (
    <Group gap="sm">
      <FilterInput
        label="Search by name or id"
        icon="search"
        value={address.q}
        onPause={(q) => onChange({ q }, { replace: true })}
      />
      {address.tag === "" ? (
        <Pill
          withRemoveButton
          onRemove={() => onChange({ tag: undefined })}
          removeButtonProps={{ "aria-label": "Any tag", "aria-hidden": undefined, tabIndex: 0 }}
          size="lg"
        >
          With the empty tag
        </Pill>
      ) : (
        <FilterInput
          label="Filter by tag"
          value={address.tag ?? ""}
          suggestions={tags}
          onPause={(tag) => onChange({ tag: tag === "" ? undefined : tag }, { replace: true })}
        />
      )}
    </Group>
  );
}

interface FilterInputProps {
  readonly label: string;
  readonly icon?: "search";
  readonly value: string;
  readonly suggestions?: readonly string[];
  readonly onPause: (value: string) => void;
}

function FilterInput({ label, icon, value, suggestions, onPause }: FilterInputProps) {
  const list = useId();
  const [typed, setTyped] = useState(value);
  const pause = useDebouncedCallback(onPause, TYPING_PAUSE_MS);
  // The back button, or a click on a tag, changes it from outside.
  useEffect(() => setTyped(value), [value]);
  return (
    <>
      <TextInput
        type="text"
        inputMode="search"
        aria-label={label}
        placeholder={label}
        list={suggestions ? list : undefined}
        data-page-search={icon ? true : undefined}
        leftSection={icon ? <Icon name={icon} size={16} /> : undefined}
        rightSection={
          typed !== "" && (
            <CloseButton
              size={24}
              aria-label="Clear"
              onClick={() => {
                setTyped("");
                onPause("");
              }}
            />
          )
        }
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          pause(event.currentTarget.value);
        }}
        flex={icon ? "2 1 220px" : "1 1 140px"}
      />
      {suggestions && (
        <datalist id={list}>
          {suggestions.map((tag) => (
            <option key={tag} value={tag} />
          ))}
        </datalist>
      )}
    </>
  );
}
