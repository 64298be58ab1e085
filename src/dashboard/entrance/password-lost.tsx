import { Anchor, Collapse, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Link } from "wouter";

/** By mail if the service sends any; otherwise whoever runs the service helps. */
export function PasswordLost({ mail }: { readonly mail: boolean }) {
  const [open, { toggle }] = useDisclosure(false);
  return (
    <Stack gap="xs" align="flex-start">
      {mail && (
        <Anchor component={Link} href="/dashboard/recovery" size="sm" underline="always" mih={24}>
          Forgot your password?
        </Anchor>
      )}
      <Anchor
        component="button"
        type="button"
        size="sm"
        onClick={toggle}
        aria-expanded={open}
        underline="always"
        ta="start"
      >
        {mail ? "Lost your phone or passkey?" : "Forgot your password, or lost your device?"}
      </Anchor>
      <Collapse expanded={open} keepMounted={false}>
        <Stack gap="xs">
          {!mail && (
            <>
              <Text size="sm">Ask whoever runs this service to set a new password on its machine:</Text>
              <pre className="code-block">bin/plantstore account password --email you@example.com</pre>
            </>
          )}
          <Text size="sm">Whoever runs this service can turn off the second factor:</Text>
          <pre className="code-block">bin/plantstore account second-factor --off --email you@example.com</pre>
        </Stack>
      </Collapse>
    </Stack>
  );
}
