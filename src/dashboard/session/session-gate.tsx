import { Center, Loader } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { useLocation, useSearch } from "wouter";
import { RequestFailure } from "../api/failure.ts";
import { FailureNotice } from "../failure-notice.tsx";
import { ConnectionBar } from "../frame/connection-bar.tsx";
import { mayHaveSession, useSessionQuery } from "./session.ts";

interface SessionGateProps {
  /** The page is for everybody. */
  readonly open: boolean;
  readonly children: ReactNode;
}

/** Lets through who is signed in; others sign in first and come back to where they were going. */
export function SessionGate({ open, children }: SessionGateProps) {
  const session = useSessionQuery({ enabled: !open || mayHaveSession() });
  const [path] = useLocation();
  const search = useSearch();
  if (session.data || open) return children;
  if (session.error instanceof RequestFailure && session.error.status === 401) {
    const back = search ? `${path}?${search}` : path;
    const from = back === "/dashboard" ? "" : `?back=${encodeURIComponent(back)}`;
    return <OtherDocument address={`/dashboard/sign-in${from}`} />;
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

/** The sign-in is a document of its own, which loads less. */
function OtherDocument({ address }: { readonly address: string }) {
  useEffect(() => location.replace(address), [address]);
  return null;
}
