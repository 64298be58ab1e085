import { Group, Text } from "@mantine/core";
import icon from "../icon.svg";

export function Brand() {
  return (
    <Group gap={8} wrap="nowrap">
      <img src={icon} alt="" width={26} height={26} />
      <Text fw={650} size="lg">
        Plantstore
      </Text>
    </Group>
  );
}
