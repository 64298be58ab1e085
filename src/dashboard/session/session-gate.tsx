import { Center, Loader } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { RequestFailure } from "../api/failure.ts";
import { ConnectionBar } from "../components/connection-bar.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { mayHaveSession, signInAddress, useSessionQuery } from "./session.ts";

interface SessionGateProps {
  /** True for a page that everybody may read. */
  readonly open: boolean;
  readonly children: ReactNode;
}

export function SessionGate({ open, children }: SessionGateProps) {
  const session = useSessionQuery({ enabled: !open || mayHaveSession() });
  if (session.data || open) return children;
  if (session.error instanceof RequestFailure && session.error.status === 401) {
    return <SignIn />;
  }
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
