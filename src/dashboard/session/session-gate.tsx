import { Center, Loader } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { useLocation, useSearch } from "wouter";
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
  const [path] = useLocation();
  const search = useSearch();
  if (session.data || open) return children;
  if (session.error instanceof RequestFailure && session.error.status === 401) {
    return <OtherDocument address={signInAddress(path, search && `?${search}`)} />;
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
function OtherDocument({ address }: { readonly address: string }) {
  useEffect(() => location.replace(address), [address]);
  return null;
}
