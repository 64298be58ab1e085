import { Box, Center, Loader, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { RequestFailure } from "../api/failure.ts";
import { Action } from "../components/action.tsx";
import { ConnectionBar } from "../components/connection-bar.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { isStoreUnknown, leaveStore, signInAddress, useSessionQuery } from "./session.ts";
import { mayHaveSession } from "./session-hint.ts";
import { storeOfAddress } from "./store.ts";

interface SessionGateProps {
  /** True for a page that everybody may read. */
  readonly open: boolean;
  readonly children: ReactNode;
}

export function SessionGate({ open, children }: SessionGateProps) {
  const session = useSessionQuery({ enabled: !open || mayHaveSession() });
  if (isStoreUnknown(session.error)) return <StoreUnknown before={session.data?.store?.name} />;
  if (session.data || open) return children;
  if (session.error instanceof RequestFailure && session.error.status === 401) return <SignIn />;
  return (
    <Center component="main" mih="100vh" p="md">
      {session.error ? (
        <div>
          <ConnectionBar />
          <FailureNotice cause={session.error} retry={() => session.refetch()} />
        </div>
      ) : (
        <Loader aria-label="Loading" className="late" />
      )}
    </Center>
  );
}

/** The sign-in is a separate document, which loads less. */
function SignIn() {
  useEffect(() => location.replace(signInAddress()), []);
  return null;
}

/** The way out of a store: of one that a link names, or of one that the reader was removed from with its page open. */
function StoreUnknown({ before }: { readonly before: string | undefined }) {
  // One that was only remembered, of which the reader has asked for nothing.
  const isSilent = before === undefined && storeOfAddress() === undefined;
  useEffect(() => {
    if (isSilent) void leaveStore();
  });
  if (isSilent) return null;
  return (
    <Center component="main" mih="100vh" p="md">
      <title>No access · Plantstore</title>
      <Box w="100%" maw={480}>
        <Stack className="panel" p={{ base: "md", xs: "xl" }} align="flex-start" role="alert">
          <Title order={1}>
            {before === undefined ? "You do not belong to this store" : `You no longer belong to ${before}`}
          </Title>
          <Text>
            {before === undefined
              ? "The link leads to a store that you do not belong to, or no longer. Ask one of its owners to invite you."
              : "You were removed from this store, or the store was removed. What you did there stays with it."}
          </Text>
          <Action kind="main" label="Continue" onClick={leaveStore} />
        </Stack>
      </Box>
    </Center>
  );
}
