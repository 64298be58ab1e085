import { Text, TextInput } from "@mantine/core";
import { useEffect } from "react";
import { PERSON_NAME_LENGTH_MAX, STORE_NAME_LENGTH_MAX } from "#contract/limits.ts";
import { useAddress } from "../browser/address.ts";
import { Answered } from "../components/answered.tsx";
import { EMAIL_RULES, Form, NewPassword, nameRules, useForm } from "../components/form.tsx";
import { PageLink } from "../components/page-link.tsx";
import { replaceDocument, useSessionQuery } from "../session/session.ts";
import { mayHaveSession } from "../session/session-hint.ts";
import { Entrance, useWelcome } from "./entrance.tsx";

/**
 * Creates the first account, by the one-time link that the first start prints; or any account if sign-up is open. Who opens the
 * used link while signed in comes to the dashboard.
 */
export default function WelcomePage() {
  const [search] = useAddress();
  const code = search.get("code") ?? "";
  const welcome = useWelcome(code);
  const isUsed = welcome.data?.open === false;
  const session = useSessionQuery({ enabled: isUsed && mayHaveSession() });
  const isInside = isUsed && session.data !== undefined;
  useEffect(() => {
    if (isInside) location.replace("/dashboard");
  }, [isInside]);
  return (
    <Entrance title="Welcome to Plantstore">
      <Answered query={welcome} data={welcome.data} shape={350}>
        {({ open, message }) => (open ? <SignUpForm code={code} /> : <Text>{message}.</Text>)}
      </Answered>
      <Text size="sm">
        {welcome.data?.open && "Already have an account? "}
        <PageLink href="/dashboard/sign-in">Sign in</PageLink>
      </Text>
    </Entrance>
  );
}

function SignUpForm({ code }: { readonly code: string }) {
  const form = useForm({
    draft: "sign-up",
    initial: { name: "", store: "", email: "", password: "" },
    send: (service, { name, store, email, password }) => {
      const named = { name: name.trim(), store_name: store.trim() };
      return service.api("POST", "/welcome", { email, password, ...named, code: code || undefined });
    },
    done: () => replaceDocument("/dashboard"),
  });
  return (
    <Form form={form} label="Create account" fullWidth>
      <Text>
        Create your account, and the store of your nursery. Only you and the people you invite see its plants.
      </Text>
      <TextInput
        {...form.field("name", "Your name")}
        {...nameRules(PERSON_NAME_LENGTH_MAX)}
        description="Shown to others beside what you do"
        autoComplete="name"
        autoFocus
      />
      <TextInput
        {...form.field("store", "Name of the nursery")}
        {...nameRules(STORE_NAME_LENGTH_MAX)}
        description="Shown to the people you invite"
        autoComplete="organization"
      />
      <TextInput {...form.field("email", "E-mail")} {...EMAIL_RULES} autoComplete="username" />
      <NewPassword {...form.secret("password", "Password")} />
    </Form>
  );
}
