import { Center, Loader, Text } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import { DASHBOARD_ERRORS } from "#contract/dashboard/errors.ts";
import { useChange } from "../api/asking.ts";
import { RequestFailure } from "../api/failure.ts";
import { finishAtProvider, type ProviderAnswer } from "../api/provider.ts";
import { FailureNotice } from "../components/failure-notice.tsx";
import { NextLink } from "../components/page-link.tsx";
import { isSignedIn, replaceDocument } from "../session/session.ts";

const NOT_DONE = {
  "sign-in": "You are not signed in",
  connect: "The identity was not connected",
  proof: "Your identity was not confirmed",
} as const;

interface ProviderReturnProps {
  readonly answer: ProviderAnswer;
  /** The other ways to sign in, shown after a refusal. */
  readonly children: ReactNode;
}

/** The answer was taken before, as when its page is loaded again; or the sign-in was cancelled. */
function isUsed(cause: unknown): boolean {
  return cause instanceof RequestFailure && cause.error === DASHBOARD_ERRORS["identity-refused"].error;
}

export function ProviderReturn({ answer, children }: ProviderReturnProps) {
  const { purpose, back } = answer;
  const finishing = useChange(async (service) => {
    const next = await finishAtProvider(service, answer).catch(async (cause: unknown) => {
      if (back !== undefined && purpose === "sign-in" && isUsed(cause) && (await isSignedIn(service))) return back;
      throw cause;
    });
    if (next !== undefined) await replaceDocument(next);
    close();
  });
  const { mutate, error, isSuccess } = finishing;
  const isSent = useRef(false);
  useEffect(() => {
    if (!isSent.current) mutate();
    isSent.current = true;
  }, [mutate]);
  if (isSuccess) return <Text role="status">Done. Close this window, and go on in the one before.</Text>;
  if (!error) {
    return (
      <Center mih={120}>
        <Loader aria-label="Going on" className="late" />
      </Center>
    );
  }
  return (
    <>
      <FailureNotice cause={error} title={NOT_DONE[purpose]} />
      {back === undefined && <Text>Close this window, and try again in the one before.</Text>}
      {back !== undefined && purpose === "sign-in" && children}
      {back !== undefined && purpose !== "sign-in" && <NextLink href={back}>Back to where you were</NextLink>}
    </>
  );
}
