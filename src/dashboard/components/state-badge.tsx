import { Badge } from "@mantine/core";
import { Icon, type IconName } from "./icon.tsx";

export interface ShownState {
  readonly word: string;
  readonly icon: IconName;
  readonly color: "leaf" | "gray" | "yellow" | "red";
}

/** A state shown by a word and an icon; the colour only repeats them. */
export function StateBadge({ state: { word, icon, color } }: { readonly state: ShownState }) {
  return (
    <Badge
      variant="light"
      color={color}
      leftSection={<Icon name={icon} size={12} />}
      tt="none"
      fw={500}
      styles={{ root: { minWidth: "max-content" } }}
    >
      {word}
    </Badge>
  );
}
