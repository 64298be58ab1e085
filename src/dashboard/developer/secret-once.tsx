import { Alert, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { CopyButton } from "../copy-button.tsx";
import { Icon } from "../icon.tsx";
import { saveFile } from "../save-file.ts";
import { useStayQuestion } from "../stay-question.ts";

interface SecretOnceProps {
  readonly secret: string;
  readonly kept: boolean;
  readonly onKept: () => void;
  readonly onDone: () => void;
}

/** The one time that a secret is shown. Until it was copied or downloaded, leaving the page is questioned too. */
export function SecretOnce({ secret, kept, onKept, onDone }: SecretOnceProps) {
  useStayQuestion(!kept);
  const download = () => {
    saveFile(`PLANTSTORE_URL=${location.origin}\nPLANTSTORE_TOKEN=${secret}\n`, "plantstore.env", "text/plain");
    onKept();
  };
  return (
    <Stack>
      <Alert color="yellow" icon={<Icon name="warning" />}>
        Copy it now: it will not be shown again. Whoever has it can act for you, so keep it as you would a password.
      </Alert>
      <TextInput
        label="Token"
        value={secret}
        readOnly
        autoComplete="off"
        spellCheck={false}
        onFocus={(event) => event.currentTarget.select()}
        onClick={(event) => event.currentTarget.select()}
        onCopy={onKept}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        data-autofocus
      />
      <Group>
        <CopyButton value={secret} what="token" onCopied={onKept} />
        <Button variant="default" leftSection={<Icon name="download" />} onClick={download}>
          Download .env
        </Button>
      </Group>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {kept ? "Kept. You can close this." : ""}
        </Text>
        <Button onClick={onDone}>Done</Button>
      </Group>
    </Stack>
  );
}
