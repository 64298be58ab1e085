import { Button, Group, Text } from "@mantine/core";
import { connectionLost, retryNow } from "../api/connection.ts";
import { Icon } from "../icon.tsx";
import { useSignal } from "../signal.ts";

/** Says that the service does not answer, for as long as it does not. */
export function ConnectionBar() {
  const lost = useSignal(connectionLost);
  return (
    <div role="status">
      {lost && (
        <Group className="connection-bar" gap="sm" justify="center">
          <Icon name="warning" />
          <Text size="sm">The service does not answer. Trying again every two seconds; nothing is lost.</Text>
          <Button size="compact-sm" variant="default" onClick={retryNow}>
            Try now
          </Button>
        </Group>
      )}
    </div>
  );
}
