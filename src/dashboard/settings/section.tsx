import { Badge, Group, Stack, Text, Title } from "@mantine/core";
import { type ComponentProps, type ComponentType, type ReactNode, useState } from "react";
import { useChange } from "../api/asking.ts";
import type { ServiceClient } from "../api/service-client.ts";
import { Action } from "../components/action.tsx";
import { Question } from "../components/form-dialog.tsx";
import { Icon, type IconName } from "../components/icon.tsx";
import { List } from "../components/list.tsx";
import { focusTitle } from "../components/page-title.tsx";

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
        {text && <Text variant="remark">{text}</Text>}
      </Stack>
      <Stack miw={0}>{children}</Stack>
    </section>
  );
}

interface DialogSectionProps
  extends Omit<SectionProps, "children">,
    Pick<ComponentProps<typeof Action>, "label" | "kind"> {
  readonly dialog: ComponentType<{ readonly onClose: () => void }>;
}

export function DialogSection({ label, kind, dialog: Dialog, ...section }: DialogSectionProps) {
  const [open, setOpen] = useState(false);
  return (
    <Section {...section}>
      <Group>
        <Action label={label} kind={kind} onClick={() => setOpen(true)} />
      </Group>
      {open && <Dialog onClose={() => setOpen(false)} />}
    </Section>
  );
}

/** Ends what a path names, of a section and of data under its id. One a section: its failure is of the last attempt. */
export function useEnd(id: string, path = id, key = id) {
  const end = useChange((service, named: string) => service.api("POST", `/${path}/${named}`), {
    changes: [key],
    done: async (_, renewed) => {
      await renewed;
      // Once the renewed data is drawn. Nothing can be typed where the focus is: on a button that waits, or that is gone.
      setTimeout(() => document.activeElement?.matches("body, :disabled") !== false && focusTitle(id));
    },
  });
  const props = (named: string) => ({
    loading: end.isPending && end.variables === named,
    onClick: () => end.mutate(named),
  });
  return { error: end.error, props };
}

interface RemoveItemProps extends Pick<ComponentProps<typeof Question>, "title" | "failure" | "changes" | "children"> {
  readonly section: string;
  readonly remove: (service: ServiceClient) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks before a way to sign in is taken away, for which a proof is used up. */
export function RemoveWayIn({ section, remove, onClose, ...props }: RemoveItemProps) {
  return (
    <Question
      {...props}
      label="Remove"
      send={async (service) => {
        await remove(service);
        service.proofs.spend();
      }}
      done={(_, renewed) => renewed}
      close={() => {
        onClose();
        focusTitle(section);
      }}
      onClose={onClose}
    />
  );
}

interface ItemButton extends Pick<ComponentProps<typeof Action>, "kind" | "loading"> {
  readonly label: string;
  /** Says what it does to which item, if its label and the item's name do not. */
  readonly described?: string;
  readonly onClick: () => void;
}

interface ShownItem {
  readonly key: string;
  readonly name: string;
  readonly badge?: string;
  readonly remark: ReactNode;
  readonly buttons?: readonly ItemButton[];
}

interface ItemsProps<Item> extends Omit<ComponentProps<typeof List<Item>>, "children" | "empty"> {
  readonly empty?: ReactNode;
  readonly icon?: IconName;
  readonly item: (item: Item) => ShownItem;
}

export function Items<Item>({ icon, item, empty = null, ...list }: ItemsProps<Item>) {
  return (
    <List {...list} empty={empty}>
      {(rows) => <ItemList icon={icon} items={rows.map(item)} />}
    </List>
  );
}

/** Each with its buttons at the right; several wrap where it is narrow. */
export function ItemList({ icon, items }: { readonly icon?: IconName; readonly items: readonly ShownItem[] }) {
  return (
    <ul className="plain-list">
      {items.map(({ key, name, badge, remark, buttons = [] }) => (
        <Group key={key} component="li" justify="space-between" wrap={buttons.length > 1 ? "wrap" : "nowrap"}>
          <Group gap="xs" wrap="nowrap" miw={0} flex={buttons.length > 1 ? "1 1 220px" : undefined}>
            {icon && <Icon name={icon} />}
            <Stack gap={2} miw={0}>
              <Group gap="xs">
                <Text className="breaks" title={name} dir="auto">
                  {name}
                </Text>
                {badge && <Badge radius="xl">{badge}</Badge>}
              </Group>
              <Text component="div" size="sm" c="dimmed">
                {remark}
              </Text>
            </Stack>
          </Group>
          <Group gap="xs" flex="none">
            {buttons.map(({ described, ...button }) => (
              <Action key={button.label} {...button} size="xs" aria-label={described ?? `${button.label} ${name}`} />
            ))}
          </Group>
        </Group>
      ))}
    </ul>
  );
}
