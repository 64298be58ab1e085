import { Group, Text } from "@mantine/core";
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
        <Group
          gap="sm"
          justify="center"
          mb="md"
          px={12}
          py={8}
          bdrs="md"
          bg="var(--mantine-color-yellow-light)"
          c="var(--mantine-color-yellow-light-color)"
        >
          <Group gap="sm" wrap="nowrap">
            <Icon name="warning" />
            <Text size="sm">Plantstore does not answer. This page tries again every two seconds; nothing is lost.</Text>
          </Group>
          <Action size="compact-sm" label="Try now" onClick={() => connection.retryNow()} />
        </Group>
      )}
    </div>
  );
}
