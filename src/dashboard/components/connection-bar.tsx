import { Group, type GroupProps, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useSignal } from "../api/signal.ts";
import { useService } from "../program/page-context.tsx";
import { Action } from "./action.tsx";
import { Icon } from "./icon.tsx";

export function ConnectionBar() {
  const { connection } = useService();
  const lost = useSignal(connection.lost);
  return (
    <div role="status">
      {lost && (
        <WarningBar className="connection-bar" gap="sm" justify="center" py={8} bdrs="md">
          <Group gap="sm" wrap="nowrap">
            <Icon name="warning" />
            <Text size="sm">Plantstore does not answer. This page tries again every two seconds; nothing is lost.</Text>
          </Group>
          <Action size="compact-sm" label="Try now" onClick={() => connection.retryNow()} />
        </WarningBar>
      )}
    </div>
  );
}

export function WarningBar(props: GroupProps & { readonly children: ReactNode }) {
  const [bg, c] = ["var(--mantine-color-yellow-light)", "var(--mantine-color-yellow-light-color)"];
  return <Group mb="md" px={12} bg={bg} c={c} {...props} />;
}
