import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core";
import { Dismissed, shownFailure } from "../api/failure.ts";
import { useSignal } from "../api/signal.ts";
import { useService } from "../program/page-context.tsx";
import { CopyButton } from "./copy-button.tsx";
import { Icon } from "./icon.tsx";

interface FailureNoticeProps {
  readonly cause: unknown;
  /** A title such as "The token could not be created". */
  readonly title?: string;
  readonly retry?: () => void;
  readonly retryLabel?: string;
}

/**
 * A failure shown where it happened: the reason, a way to continue, and the request id to quote. Nothing for null.
 * While the service does not answer, the bar above the page reports it once for everything to be read, and tries again.
 */
export function FailureNotice({ cause, title, retry, retryLabel = "Try again" }: FailureNoticeProps) {
  const lost = useSignal(useService().connection.lost);
  if (cause === null || cause === undefined || cause instanceof Dismissed) return null;
  const { message, requestId, unreachable } = shownFailure(cause);
  const read = retry !== undefined && title === undefined;
  if (read && unreachable && lost) return null;
  return (
    <Alert color="red" role="alert" title={title} icon={<Icon name="warning" />}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm" className="breaks">
          {message}
        </Text>
        {requestId && <RequestIdLine requestId={requestId} />}
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            {retryLabel}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

function RequestIdLine({ requestId }: { readonly requestId: string }) {
  return (
    <div>
      <Text size="xs">Request id</Text>
      <Group gap={4} wrap="nowrap">
        <Code className="breaks">{requestId}</Code>
        <CopyButton value={requestId} what="request id" compact />
      </Group>
    </div>
  );
}
