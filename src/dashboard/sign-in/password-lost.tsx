import { Anchor, Collapse, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";

/** There is no mail server by default: who runs the service helps. */
export function PasswordLost() {
  const [open, { toggle }] = useDisclosure(false);
  return (
    <Stack gap="xs">
      <Anchor component="button" type="button" size="sm" onClick={toggle} aria-expanded={open} underline="always">
        Password or device lost?
      </Anchor>
      <Collapse expanded={open} keepMounted={false}>
        <Stack gap="xs">
          <Text size="sm">Whoever runs this service sets a new password on its machine:</Text>
          <pre className="code-block">bin/plantstore account password --email you@example.com</pre>
          <Text size="sm">and turns off the second factor if its device is lost:</Text>
          <pre className="code-block">bin/plantstore account second-factor --off --email you@example.com</pre>
        </Stack>
      </Collapse>
    </Stack>
  );
}
