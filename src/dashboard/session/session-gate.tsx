import { Center, Loader } from "@mantine/core";
import type { ReactNode } from "react";
import { Redirect, useLocation, useSearch } from "wouter";
import { RequestFailure } from "../api/failure.ts";
import { FailureNotice } from "../failure-notice.tsx";
import { useSessionQuery } from "./session.ts";

/** Lets through who is signed in; others sign in first and come back to where they were going. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const session = useSessionQuery();
  const [path] = useLocation();
  const search = useSearch();
  if (session.data) return children;
  if (session.error instanceof RequestFailure && session.error.status === 401) {
    const back = search ? `${path}?${search}` : path;
    return <Redirect to={back === "/" ? "/sign-in" : `/sign-in?back=${encodeURIComponent(back)}`} replace />;
  }
  return (
    <Center mih="100vh" p="md">
      {session.error ? (
        <FailureNotice cause={session.error} retry={() => session.refetch()} />
      ) : (
        <Loader aria-label="Loading" />
      )}
    </Center>
  );
}
