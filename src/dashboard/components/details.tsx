import { Badge, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";

/** Terms and what they are; one below the other where it is narrow. A term without a value is left out. */
export function DetailsList({ of }: { readonly of: Readonly<Record<string, ReactNode>> }) {
  return (
    <dl className="details-list">
      {Object.entries(of).map(([term, value]) =>
        !value && value !== 0 ? null : (
          <div key={term}>
            <Text component="dt" size="sm" c="dimmed">
              {term}
            </Text>
            <Text component="dd" m={0} className="breaks">
              {value}
            </Text>
          </div>
        ),
      )}
    </dl>
  );
}

export interface ShownState {
  readonly word: string;
  readonly icon: IconName;
  readonly color: "leaf" | "gray" | "yellow" | "red";
}

/** A state shown by a word and an icon; the colour only repeats them. */
export function StateBadge({ state: { word, icon, color } }: { readonly state: ShownState }) {
  return (
    <Badge color={color} radius="xl" leftSection={<Icon name={icon} size={12} />} miw="max-content">
      {word}
    </Badge>
  );
}
