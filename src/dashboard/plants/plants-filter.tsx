import { Group, NativeSelect, Pill, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { Icon } from "../icon.tsx";
import type { ChangePlantsAddress, PlantsAddress } from "./plants-address.ts";

const TYPING_PAUSE_MS = 300;

const ORDERS = [
  { value: "-created_at", label: "Newest first" },
  { value: "id", label: "By id" },
];

interface PlantsFilterProps {
  readonly address: PlantsAddress;
  readonly onChange: ChangePlantsAddress;
}

/** Search and tag wait for a pause in typing. */
export function PlantsFilter({ address, onChange }: PlantsFilterProps) {
  return (
    <Group gap="sm">
      <FilterInput
        label="Search the names"
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
          label="Only the tag"
          value={address.tag ?? ""}
          onPause={(tag) => onChange({ tag: tag === "" ? undefined : tag }, { replace: true })}
        />
      )}
      <NativeSelect
        aria-label="Order"
        data={ORDERS}
        value={address.order}
        onChange={(event) => onChange({ order: event.currentTarget.value === "id" ? "id" : "-created_at" })}
      />
    </Group>
  );
}

interface FilterInputProps {
  readonly label: string;
  readonly icon?: "search";
  readonly value: string;
  readonly onPause: (value: string) => void;
}

function FilterInput({ label, icon, value, onPause }: FilterInputProps) {
  const [typed, setTyped] = useState(value);
  const pause = useDebouncedCallback(onPause, TYPING_PAUSE_MS);
  // The back button, or a tag that was clicked, changes it from outside.
  useEffect(() => setTyped(value), [value]);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={icon ? <Icon name={icon} size={16} /> : undefined}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        pause(event.currentTarget.value);
      }}
      flex={icon ? "2 1 220px" : "1 1 140px"}
    />
  );
}
