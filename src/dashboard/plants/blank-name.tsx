import { Alert, Text } from "@mantine/core";
import { Icon } from "../components/icon.tsx";

/** The API accepts a blank name, but a person who leaves it blank has more likely forgotten it. */
export function BlankNameQuestion() {
  return (
    <Alert color="yellow" icon={<Icon name="warning" />} role="alert">
      <Text size="sm">The name is blank. Save the plant anyway?</Text>
    </Alert>
  );
}

export function isBlank(name: string): boolean {
  return name.trim() === "";
}
