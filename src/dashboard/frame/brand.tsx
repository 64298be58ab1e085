import { Group, Text } from "@mantine/core";

export function Brand() {
  return (
    <Group gap={8} wrap="nowrap">
      <span className="brand-icon" />
      <Text fw={650} size="lg">
        Plantstore
      </Text>
    </Group>
  );
}
