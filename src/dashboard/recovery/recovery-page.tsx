import { Anchor, Checkbox, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "wouter";
import type { RecoveryForm, RecoveryLink } from "#contract/dashboard/account.ts";
import { formValues } from "../draft.ts";
import { Entrance } from "../entrance.tsx";
import { FailureNotice } from "../failure-notice.tsx";
import { NewPassword } from "../new-password.tsx";
import { counted } from "../numbers.ts";
import { useService } from "../page-context.tsx";
import { SubmitButton } from "../submit-button.tsx";

/** Requests a link by mail; with the token of such a link in the address, asks for the new password. */
export default function RecoveryPage() {
  const [search] = useSearchParams();
  const token = search.get("token");
  return (
    <Entrance title={token ? "Set a new password" : "Forgot your password?"}>
      {token ? <NewPasswordForm token={token} /> : <AskForLink />}
      <Anchor component={Link} href="/dashboard/sign-in" size="sm" underline="always" className="link">
        Back to sign-in
      </Anchor>
    </Entrance>
  );
}

function AskForLink() {
  const service = useService();
  const ask = useMutation({ mutationFn: (email: string) => service.api("POST", "/recovery", { email }) });
  if (ask.isSuccess) {
    return (
      <Text role="status">
        If {ask.variables} has an account, a link is on its way to it. The link works once, for one hour.
      </Text>
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        ask.mutate(formValues(event.currentTarget).email ?? "");
      }}
    >
      <Stack>
        <Text>Enter the address of your account. You get a link that lets you set a new password.</Text>
        <TextInput name="email" type="email" label="E-mail" autoComplete="username" required autoFocus />
        <FailureNotice cause={ask.error} />
        <SubmitButton pending={ask.isPending} fullWidth>
          Send the link
        </SubmitButton>
      </Stack>
    </form>
  );
}

/** First looks what the link would recover. A browser that opens it by itself does not spend it. */
function NewPasswordForm({ token }: { readonly token: string }) {
  const service = useService();
  const link = useQuery({
    queryKey: ["recovery", token],
    queryFn: () => service.api<RecoveryLink>("POST", "/recovery/link", { token }),
    gcTime: 0,
  });
  const set = useMutation({
    mutationFn: (form: RecoveryForm) => service.api("POST", "/recovery/password", form),
    gcTime: 0,
  });
  if (set.isSuccess)
    return <Text role="status">Your password is set, and every session was ended. Sign in with it.</Text>;
  if (link.isPending) return <Skeleton h={120} className="late" />;
  if (link.isError) return <FailureNotice cause={link.error} retry={() => link.refetch()} />;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const { password = "", ...ticked } = formValues(event.currentTarget);
        const asked = Object.fromEntries(Object.keys(ticked).map((name) => [name, true]));
        set.mutate({ token, password, ...asked });
      }}
    >
      <Stack>
        <NewPassword name="password" label="New password" autoFocus />
        <AlsoEnded found={link.data} />
        <FailureNotice cause={set.error} />
        <SubmitButton pending={set.isPending} fullWidth>
          Set the password
        </SubmitButton>
      </Stack>
    </form>
  );
}

/** Offers to end what else gets in; for an address that was never verified it says that all of it ends. */
function AlsoEnded({ found: { email_verified, active_tokens, passkeys, webhooks } }: { readonly found: RecoveryLink }) {
  if (!email_verified) {
    return (
      <Text size="sm">
        This address was never verified, so that somebody else may have made the account. Its tokens are revoked, its
        passkeys and its two-factor sign-in removed, and its webhook endpoints disabled.
      </Text>
    );
  }
  return (
    <>
      {active_tokens > 0 && <Checkbox name="revoke_tokens" label={`Revoke ${counted(active_tokens, "token")}`} />}
      {passkeys > 0 && <Checkbox name="remove_passkeys" label={`Remove ${counted(passkeys, "passkey")}`} />}
      {webhooks > 0 && <Checkbox name="disable_webhooks" label={`Disable ${counted(webhooks, "webhook endpoint")}`} />}
    </>
  );
}
