import { Checkbox, Text, TextInput } from "@mantine/core";
import type { RecoveryForm, RecoveryLink } from "#contract/dashboard/account.ts";
import { useAnswer } from "../api/asking.ts";
import { useAddress } from "../browser/address.ts";
import { Answered } from "../components/answered.tsx";
import { Form, type FormFields, NewPassword, useForm } from "../components/form.tsx";
import { NextLink } from "../components/page-link.tsx";
import { counted } from "../text/numbers.ts";
import { Entrance } from "./entrance.tsx";

/** Requests a link by mail; with the token of such a link in the address, asks for the new password. */
export default function RecoveryPage() {
  const [search] = useAddress();
  const token = search.get("token");
  return (
    <Entrance title={token ? "Set a new password" : "Forgot your password?"}>
      {token ? <NewPasswordForm token={token} /> : <AskForLink />}
      <NextLink href="/dashboard/sign-in">Back to sign-in</NextLink>
    </Entrance>
  );
}

function AskForLink() {
  const form = useForm({
    initial: { email: "" },
    send: (service, asked) => service.api("POST", "/recovery", asked),
  });
  if (form.isSuccess) {
    return (
      <Text role="status">
        If {form.variables.email} has an account, a link is on its way to it. The link works once, for one hour.
      </Text>
    );
  }
  return (
    <Form form={form} label="Send the link" fullWidth>
      <Text>Enter the address of your account. You get a link that lets you set a new password.</Text>
      <TextInput {...form.field("email", "E-mail")} type="email" autoComplete="username" required autoFocus />
    </Form>
  );
}

/** First looks what the link would recover. A browser that opens it by itself does not spend it. */
function NewPasswordForm({ token }: { readonly token: string }) {
  const link = useAnswer(
    ["recovery", token],
    (service) => service.api<RecoveryLink>("POST", "/recovery/link", { token }),
    { gcTime: 0 },
  );
  const form = useForm({
    initial: {
      password: "",
      revoke_tokens: false,
      remove_passkeys: false,
      remove_identities: false,
      disable_webhooks: false,
    },
    send: (service, { password }, { password: _, ...ended }) =>
      service.api("POST", "/recovery/password", { token, password, ...ended } satisfies RecoveryForm),
  });
  if (form.isSuccess)
    return <Text role="status">Your password is set, and every session was ended. Sign in with it.</Text>;
  return (
    <Answered query={link} data={link.data} shape={120}>
      {(found) => (
        <Form form={form} label="Set the password" fullWidth>
          <NewPassword {...form.secret("password", "New password")} autoFocus />
          <AlsoEnded found={found} form={form} />
        </Form>
      )}
    </Answered>
  );
}

/** Other ways in to an account whose password is lost, by the field that ends each and the figure of the link. */
const ALSO_ENDED = [
  ["revoke_tokens", "active_tokens", "Revoke", "token"],
  ["remove_passkeys", "passkeys", "Remove", "passkey"],
  ["remove_identities", "identities", "Remove", "identity"],
  ["disable_webhooks", "webhooks", "Disable", "webhook endpoint"],
] as const;

interface AlsoEndedProps {
  readonly found: RecoveryLink;
  readonly form: Pick<FormFields<Omit<RecoveryForm, "token" | "password">>, "checkbox">;
}

/** Offers to end what else gets in; for an address that was never verified it says that all of it ends. */
function AlsoEnded({ found, form }: AlsoEndedProps) {
  if (!found.email_verified) {
    return (
      <Text size="sm">
        This address was never verified, so that somebody else may have made the account. Its tokens are revoked, its
        passkeys, its identities and its two-factor sign-in removed, and its webhook endpoints disabled.
      </Text>
    );
  }
  return ALSO_ENDED.filter(([, figure]) => found[figure] > 0).map(([field, figure, verb, noun]) => (
    <Checkbox key={field} {...form.checkbox(field, `${verb} ${counted(found[figure], noun)}`)} />
  ));
}
