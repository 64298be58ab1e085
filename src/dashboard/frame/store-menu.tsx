import { Group, Menu, Text, UnstyledButton } from "@mantine/core";
import type { SessionView } from "#contract/dashboard/session.ts";
import { Icon } from "../components/icon.tsx";
import { MenuTarget } from "../components/menu-target.tsx";
import { openStore } from "../session/session.ts";
import { capitalized } from "../text/sentence.ts";
import { Brand } from "./brand.tsx";

/** The store in use. Who belongs to several changes it here. */
export function StoreMenu({ session: { store, stores } }: { readonly session: SessionView }) {
  const name = store?.name || undefined;
  if (stores.length < 2) return <Brand name={name} />;
  return (
    <Menu position="bottom-start" width={240} keepMounted={false}>
      <MenuTarget>
        <UnstyledButton className="store-button" aria-label={`${name ?? "Choose a store"}: change the store`}>
          <Group gap={4} wrap="nowrap">
            <Brand name={name ?? "Choose a store"} />
            <Icon name="fold" size={16} />
          </Group>
        </UnstyledButton>
      </MenuTarget>
      <Menu.Dropdown mah="min(480px, 70dvh)" style={{ overflowY: "auto" }}>
        <Menu.Label>Your stores</Menu.Label>
        <Menu.RadioGroup value={store?.id ?? ""} onChange={(id) => void openStore(id)}>
          {stores.map(({ id, name, role, test }) => (
            <Menu.RadioItem key={id} value={id} closeMenuOnClick={false}>
              <bdi translate="no">{name}</bdi>
              <Text size="xs">{test ? `Test, ${role}` : capitalized(role)}</Text>
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
