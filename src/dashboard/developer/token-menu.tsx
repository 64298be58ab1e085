import { ActionIcon, Menu } from "@mantine/core";
import type { TokenRecord } from "#contract/dashboard.ts";
import { Icon } from "../icon.tsx";
import type { TokenAction } from "./open-token.ts";

interface TokenMenuProps {
  readonly token: TokenRecord;
  readonly onChosen: (action: TokenAction) => void;
}

export function TokenMenu({ token, onChosen }: TokenMenuProps) {
  const active = token.state === "active";
  return (
    <Menu position="bottom-end" width={160} keepMounted={false}>
      <Menu.Target>
        <ActionIcon aria-label={`Actions for ${token.name}`}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onChosen("open")}>Details</Menu.Item>
        <Menu.Item onClick={() => onChosen("rename")}>Rename</Menu.Item>
        {active && <Menu.Item onClick={() => onChosen("roll")}>Roll</Menu.Item>}
        {active && (
          <Menu.Item onClick={() => onChosen("revoke")} c="var(--mantine-color-error)">
            Revoke
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
