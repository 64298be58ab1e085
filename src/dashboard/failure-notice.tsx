import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core";
import { shownFailure } from "./api/failure.ts";
import { CopyButton } from "./copy-button.tsx";
import { Icon } from "./icon.tsx";

interface FailureNoticeProps {
  readonly cause: unknown;
  /** What did not work, as in "Cannot make the token". */
  readonly title?: string;
  readonly retry?: () => void;
  /** What the retry does, if it is not simply that. */
  readonly retryLabel?: string;
}

/** A failure, where it happened: what is wrong, what can be done, and the request id to quote. Nothing for null. */
export function FailureNotice({ cause, title, retry, retryLabel = "Try again" }: FailureNoticeProps) {
  if (cause === null || cause === undefined) return null;
  const { message, requestId } = shownFailure(cause);
  return (
    <Alert color="red" role="alert" title={title} icon={<Icon name="warning" />}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          {message}
        </Text>
        {requestId && (
          <Group gap={6} wrap="nowrap">
            <Text size="sm" style={{ whiteSpace: "nowrap" }}>
              Request id
            </Text>
            <Code style={{ overflowWrap: "anywhere" }}>{requestId}</Code>
            <CopyButton value={requestId} what="request id" compact />
          </Group>
        )}
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            {retryLabel}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
