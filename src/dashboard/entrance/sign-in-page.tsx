import { Alert, Anchor, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link, useSearchParams } from "wouter";
import type { Welcome } from "#contract/dashboard/account.ts";
import { Icon } from "../components/icon.tsx";
import { useService } from "../program/page-context.tsx";
import { mayHaveSession, useSessionQuery } from "../session/session.ts";
import { Entrance } from "./entrance.tsx";
import { PasswordLost } from "./password-lost.tsx";
import { SignInForm } from "./sign-in-form.tsx";

export default function SignInPage() {
  const service = useService();
  const [search] = useSearchParams();
  const session = useSessionQuery({ enabled: mayHaveSession() });
  const welcome = useQuery({ queryKey: ["welcome", ""], queryFn: () => service.api<Welcome>("GET", "/welcome") });
  const back = pathWithin(search.get("back"));
  const signedIn = session.data !== undefined;
  useEffect(() => {
    if (signedIn) location.replace(back);
  }, [signedIn, back]);
  // The page stays unchanged until the next document is loaded.
  const done = async () => {
    sessionStorage.removeItem("draft:sign-in");
    location.replace(back);
    await new Promise(() => {});
  };
  return (
    <Entrance title="Sign in to Plantstore">
      {welcome.data?.needs_code && welcome.data.message.includes("link") && (
        <Alert icon={<Icon name="next" />} title="No account yet?">
          Open the link that was printed when Plantstore started. It is in the terminal or the log of the service, and
          creates the first account.
        </Alert>
      )}
      <SignInForm done={done}>
        <Stack gap="xs">
          <PasswordLost mail={welcome.data?.mail ?? false} />
          {welcome.data?.open && (
            <Text size="sm">
              New here?{" "}
              <Anchor component={Link} href="/dashboard/welcome" underline="always" inherit>
                Create an account
              </Anchor>
            </Text>
          )}
        </Stack>
      </SignInForm>
    </Entrance>
  );
}

/** The target after the sign-in: a page of the dashboard or the reference, whatever the address says. */
export function pathWithin(back: string | null): string {
  const within = back !== null && /^\/(?:dashboard(?:[/?]|$)|docs(?:[?#]|$))/.test(back);
  return within && !back.startsWith("/dashboard/sign-in") ? back : "/dashboard";
}
