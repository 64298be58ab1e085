import { Alert, Stack, Text } from "@mantine/core";
import type { UseMutationResult } from "@tanstack/react-query";
import { type ComponentProps, type ReactNode, useRef } from "react";
import { ERROR_NUMBERS } from "#contract/error-numbers.ts";
import { Dismissed, RequestFailure, shownFailure } from "../api/failure.ts";
import { useSignal } from "../api/signal.ts";
import { useService } from "../program/page-context.tsx";
import { DEVELOPER } from "../program/pages.ts";
import { useMay } from "../session/session.ts";
import { Action } from "./action.tsx";
import { CopiedCode } from "./copy-button.tsx";

interface SendingActionProps extends ComponentProps<typeof Action> {
  readonly change: UseMutationResult<unknown, unknown, void>;
  readonly failure?: string;
}

/** The button that sends a change, with its failure below it. */
export function SendingAction({ failure, ...props }: SendingActionProps) {
  return (
    <>
      <Action {...props} />
      <FailureNotice cause={props.change.error} title={failure} />
    </>
  );
}

interface FailureNoticeProps {
  readonly cause: unknown;
  readonly title?: string;
  readonly retry?: () => unknown;
  readonly retryLabel?: string;
}

/**
 * Shows a failure where it happened. An unreachable service is reported once, by a bar of its own, which tries again; a change
 * that got no answer says so itself until the service answers again.
 */
export function FailureNotice({ cause, title, retry, retryLabel = "Try again" }: FailureNoticeProps) {
  const lost = useSignal(useService().connection.lost);
  const may = useMay();
  const isOver = useEndOfOutage(cause, lost);
  if (cause === null || cause === undefined || cause instanceof Dismissed) return null;
  const { message, error, requestId, logged, unreachable } = shownFailure(cause);
  // A mistyped password needs no request id.
  const isMistyped = cause instanceof RequestFailure && cause.status === 401;
  const read = retry !== undefined && title === undefined;
  if (unreachable && (isOver || (read && lost))) return null;
  const again = retry && <Action size="xs" label={retryLabel} onClick={retry} />;
  if (error === ERROR_NUMBERS["account-suspended"])
    return <SuspensionNotice message={message}>{again}</SuspensionNotice>;
  return (
    <Alert color="red" role="alert" title={title}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm" className="breaks">
          {message}
        </Text>
        {requestId && !isMistyped && (
          <div>
            <Text size="xs">Request id</Text>
            <CopiedCode
              value={requestId}
              what="request id"
              href={logged && may("read requests") ? `${DEVELOPER}/requests/${requestId}` : undefined}
            />
          </div>
        )}
        {again}
      </Stack>
    </Alert>
  );
}

/** It needs no request id: the operator, who did it, knows the store. */
function SuspensionNotice({ message, children }: { readonly message: string; readonly children: ReactNode }) {
  return (
    <Alert color="yellow" role="alert" title="This store is suspended">
      <Stack gap="xs" align="flex-start">
        <Text size="sm" className="breaks">
          {message}
        </Text>
        <Text size="sm">
          Nothing was removed. Ask them to resume it; your settings and your other stores are not affected.
        </Text>
        {children}
      </Stack>
    </Alert>
  );
}

/** True from when the service answers again after an outage during which that failure was shown, also in a later outage. */
function useEndOfOutage(cause: unknown, lost: boolean): boolean {
  const outage = useRef({ cause, began: false, isOver: false });
  if (outage.current.cause !== cause) outage.current = { cause, began: false, isOver: false };
  if (lost) outage.current.began = true;
  else if (outage.current.began) outage.current.isOver = true;
  return outage.current.isOver;
}
