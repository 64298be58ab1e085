import { Badge, Group, Stack, Text, Title } from "@mantine/core";
import type { ComponentProps, ReactNode } from "react";
import { Action } from "../components/action.tsx";
import { List } from "../components/list.tsx";

interface SectionProps {
  readonly id: string;
  readonly title: string;
  readonly text?: string;
  readonly children: ReactNode;
}

/** A part of the settings, with its own fragment in the address. */
export function Section({ id, title, text, children }: SectionProps) {
  return (
    <section className="panel section" aria-labelledby={`${id}-title`} id={id}>
      <Stack gap={4}>
        <Title order={2} id={`${id}-title`} tabIndex={-1}>
          {title}
        </Title>
        {text && (
          <Text size="sm" c="dimmed">
            {text}
          </Text>
        )}
      </Stack>
      <Stack miw={0}>{children}</Stack>
    </section>
  );
}

/** Moves the focus to the title of a section, for when the button that had it is removed together with its row. */
export function focusTitle(id: string): void {
  document.getElementById(`${id}-title`)?.focus();
}

/** True if nothing can be typed where the focus is: on a button that waits, or that is gone. */
export function isFocusLost(): boolean {
  return document.activeElement?.matches("body, :disabled") !== false;
}

interface ShownItem {
  readonly key: string;
  readonly name: string;
  readonly badge?: string;
  readonly remark: ReactNode;
  readonly button?: { readonly label: string; readonly loading?: boolean; readonly onClick: () => void };
}

interface ItemsProps<Item> extends Omit<ComponentProps<typeof List<Item>>, "children"> {
  readonly icon?: ReactNode;
  readonly item: (item: Item) => ShownItem;
}

/** Things of the account, such as passkeys, each with its button at the right. */
export function Items<Item>({ icon, item, ...list }: ItemsProps<Item>) {
  return (
    <List {...list}>
      {(rows) => (
        <ul className="plain-list">
          {rows.map(item).map(({ key, name, badge, remark, button }) => (
            <Group key={key} component="li" justify="space-between" wrap="nowrap">
              <Group gap="xs" wrap="nowrap" miw={0}>
                {icon}
                <Stack gap={2} miw={0}>
                  <Group gap="xs">
                    <Text truncate title={name} dir="auto">
                      {name}
                    </Text>
                    {badge && <Badge>{badge}</Badge>}
                  </Group>
                  <Text component="div" size="sm" c="dimmed">
                    {remark}
                  </Text>
                </Stack>
              </Group>
              {button && <Action {...button} size="xs" aria-label={`${button.label} ${name}`} flex="none" />}
            </Group>
          ))}
        </ul>
      )}
    </List>
  );
}
