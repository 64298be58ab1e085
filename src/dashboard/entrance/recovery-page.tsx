import { Text, TextInput } from "@mantine/core";
import { useAddress } from "../browser/address.ts";
import { Form, NewPassword, useForm } from "../components/form.tsx";
import { PageLink } from "../components/page-link.tsx";
import { Entrance } from "./entrance.tsx";

/** Requests a link by mail; with the token of such a link in the address, asks for the new password. */
export default function RecoveryPage() {
  const [search] = useAddress();
  const token = search.get("token");
  return (
    <Entrance title={token ? "Set a new password" : "Forgot your password?"}>
      {token ? <NewPasswordForm token={token} /> : <AskForLink />}
      <PageLink href="/dashboard/sign-in" size="sm" className="link">
        Back to sign-in
      </PageLink>
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

function NewPasswordForm({ token }: { readonly token: string }) {
  const form = useForm({
    initial: { password: "" },
    send: (service, { password }) => service.api("POST", "/recovery/password", { token, password }),
  });
  if (form.isSuccess)
    return <Text role="status">Your password is set, and every session was ended. Sign in with it.</Text>;
  return (
    <Form form={form} label="Set the password" fullWidth>
      <NewPassword name="password" label="New password" autoFocus />
    </Form>
  );
}
