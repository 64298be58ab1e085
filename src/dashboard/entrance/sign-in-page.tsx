import { Alert, Anchor, Collapse, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type ReactNode, useEffect, useState } from "react";
import type { ProviderAnswer } from "../api/provider.ts";
import { useAddress } from "../browser/address.ts";
import { Icon } from "../components/icon.tsx";
import { NextLink, PageLink } from "../components/page-link.tsx";
import { ProviderButton } from "../components/provider-button.tsx";
import { replaceDocument, useSessionQuery } from "../session/session.ts";
import { mayHaveSession } from "../session/session-hint.ts";
import { Entrance, useWelcome } from "./entrance.tsx";
import { ProviderReturn } from "./provider-return.tsx";
import { SignInForm } from "./sign-in-form.tsx";

interface SignInPageProps {
  readonly answer?: ProviderAnswer | undefined;
}

export default function SignInPage({ answer }: SignInPageProps) {
  const [search] = useAddress();
  const session = useSessionQuery({ enabled: mayHaveSession() && answer === undefined });
  const welcome = useWelcome();
  const back = pathWithin(search.get("back"));
  const signedIn = session.data !== undefined && answer === undefined;
  useEffect(() => {
    if (signedIn) location.replace(back);
  }, [signedIn, back]);
  const done = () => {
    sessionStorage.removeItem("draft:sign-in");
    return replaceDocument(back);
  };
  const [isUnfolded, setIsUnfolded] = useState(false);
  const provider = welcome.data?.provider;
  const byProvider = provider && (
    <ProviderButton
      label={`Sign in with ${provider.name}`}
      purpose="sign-in"
      back={answer?.back ?? back}
      kind={provider.only && !isUnfolded ? "main" : "plain"}
      fullWidth
    />
  );
  const form = (
    <SignInForm done={done}>
      {!provider?.only && byProvider}
      <Stack gap="xs">
        <PasswordLost mail={welcome.data?.mail ?? false} />
        {welcome.data?.open && (
          <Text size="sm">
            New here? <PageLink href="/dashboard/welcome">Create an account</PageLink>
          </Text>
        )}
      </Stack>
    </SignInForm>
  );
  const ways = provider?.only ? (
    <>
      {byProvider}
      <Unfolding label="Sign in another way" onToggle={setIsUnfolded}>
        {form}
      </Unfolding>
    </>
  ) : (
    form
  );
  return (
    <Entrance title="Sign in to Plantstore">
      {welcome.data?.needs_code && welcome.data.message.includes("link") && (
        <Alert icon={<Icon name="user" />} title="No account yet?">
          Open the link that was printed when Plantstore started. It is in the terminal or the log of the service, and
          creates the first account.
        </Alert>
      )}
      {answer ? <ProviderReturn answer={answer}>{ways}</ProviderReturn> : ways}
    </Entrance>
  );
}

/** The target after the sign-in: a page of the dashboard or the reference, whatever the address says. */
export function pathWithin(back: string | null): string {
  const within = back !== null && /^\/(?:dashboard(?:[/?]|$)|docs(?:[?#]|$))/.test(back);
  return within && !back.startsWith("/dashboard/sign-in") ? back : "/dashboard";
}

/** Offers a link by mail if the service sends mail, and otherwise names the operator as the way. */
function PasswordLost({ mail }: { readonly mail: boolean }) {
  return (
    <Stack gap="xs" align="flex-start">
      {mail && <NextLink href="/dashboard/recovery">Forgot your password?</NextLink>}
      <Unfolding label={mail ? "Lost your phone or passkey?" : "Forgot your password, or lost your device?"}>
        {!mail && (
          <>
            <Text size="sm">Ask whoever runs this service to set a new password on its machine:</Text>
            <pre translate="no" className="code-block">
              bin/plantstore account password --email you@example.com
            </pre>
          </>
        )}
        <Text size="sm">Whoever runs this service can turn off the second factor:</Text>
        <pre translate="no" className="code-block">
          bin/plantstore account second-factor --off --email you@example.com
        </pre>
      </Unfolding>
    </Stack>
  );
}

interface UnfoldingProps {
  readonly label: string;
  readonly onToggle?: (open: boolean) => void;
  readonly children: ReactNode;
}

function Unfolding({ label, onToggle, children }: UnfoldingProps) {
  const [open, { toggle }] = useDisclosure(false, { onOpen: () => onToggle?.(true), onClose: () => onToggle?.(false) });
  return (
    <Stack gap="xs" align="flex-start">
      <Anchor component="button" type="button" fz="sm" mih={28} ta="start" onClick={toggle} aria-expanded={open}>
        {label}
      </Anchor>
      <Collapse expanded={open} keepMounted={false} w="100%">
        <Stack gap="xs">{children}</Stack>
      </Collapse>
    </Stack>
  );
}
