import { Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { DASHBOARD_ERRORS } from "#contract/dashboard/errors.ts";
import type { InvitationView } from "#contract/dashboard/people.ts";
import type { SessionView } from "#contract/dashboard/session.ts";
import { PERSON_NAME_LENGTH_MAX } from "#contract/limits.ts";
import { useAnswer, useChange } from "../api/asking.ts";
import { RequestFailure } from "../api/failure.ts";
import { Answered } from "../components/answered.tsx";
import { SendingAction } from "../components/failure-notice.tsx";
import { Form, NewPassword, nameRules, PasswordOwner, useForm } from "../components/form.tsx";
import { NextLink } from "../components/page-link.tsx";
import { ProviderButton } from "../components/provider-button.tsx";
import { openStore, useSessionQuery } from "../session/session.ts";
import { forgetSession, mayHaveSession, rememberSession } from "../session/session-hint.ts";
import { Entrance, useWelcome } from "./entrance.tsx";
import { SignInForm } from "./sign-in-form.tsx";

const TOKEN = "invitation";

/** Takes the token out of the address, so that it stands in no history. It stays in this tab, for a reload. */
function takeToken(): string {
  const token = new URLSearchParams(location.search).get("token");
  if (token !== null) {
    sessionStorage.setItem(TOKEN, token);
    history.replaceState(history.state, "", location.pathname);
  }
  return sessionStorage.getItem(TOKEN) ?? "";
}

/** The target of an invitation's link: says who invites to what before it asks for anything. */
export default function InvitationPage() {
  const [token] = useState(takeToken);
  const view = useAnswer(["invitation", token], (service) =>
    service.api<InvitationView>("POST", "/invitation", { token }),
  );
  const [signsIn, setSignsIn] = useState(mayHaveSession);
  const session = useSessionQuery({ enabled: signsIn });
  const isOver = view.error instanceof RequestFailure && view.error.error === DASHBOARD_ERRORS["link-refused"].error;
  if (isOver) {
    return (
      <Entrance title="This invitation link no longer works">
        <Text role="status">
          It was used or revoked, or is older than seven days. Ask whoever invited you for another one.
        </Text>
        <NextLink href="/dashboard/sign-in">Go to the sign-in</NextLink>
      </Entrance>
    );
  }
  const isKnown = !signsIn || session.data !== undefined || session.isError;
  return (
    <Entrance title={view.data ? `Join ${view.data.store}` : "Invitation"}>
      <Answered query={view} data={isKnown ? view.data : undefined} shape={300}>
        {(invitation) => (
          <>
            <Text className="breaks" mb="md">
              <bdi translate="no">{invitation.invited_by}</bdi> invites you to join{" "}
              <bdi translate="no">{invitation.store}</bdi> as {ARTICLES[invitation.role]} {invitation.role}. You can{" "}
              {MEANINGS[invitation.role]}. The invitation is for <bdi translate="no">{invitation.email}</bdi>.
            </Text>
            <NextStep
              invitation={invitation}
              token={token}
              session={signsIn ? session.data : undefined}
              onSignedIn={async () => {
                setSignsIn(true);
                await session.refetch();
              }}
              onSignedOut={() => setSignsIn(false)}
            />
          </>
        )}
      </Answered>
    </Entrance>
  );
}

const ARTICLES = { viewer: "a", editor: "an", developer: "a", owner: "an" };

/** What each role can do, as in "invites you as an editor. You can …". */
const MEANINGS = {
  viewer: "look at its plants, figures and events",
  editor: "add, change and remove its plants",
  developer: "connect programs to it, and change its plants",
  owner: "decide about everything in it, and who else belongs to it",
};

interface NextStepProps {
  readonly invitation: InvitationView;
  readonly token: string;
  readonly session: SessionView | undefined;
  readonly onSignedIn: () => Promise<void>;
  readonly onSignedOut: () => void;
}

function NextStep({ invitation, token, session, onSignedIn, onSignedOut }: NextStepProps) {
  const provider = useWelcome().data?.provider;
  const { email, has_account, store } = invitation;
  const byProvider = { purpose: "sign-in", back: location.pathname, fullWidth: true } as const;
  if (session && session.account.email.toLowerCase() !== email.toLowerCase()) {
    return <OtherAccount signedInAs={session.account.email} email={email} onSignedOut={onSignedOut} />;
  }
  if (session) return <Accept token={token} store={store} email={session.account.email} />;
  if (!has_account) {
    return (
      <>
        {!provider?.only && <NewPerson token={token} email={email} />}
        {provider && (
          <ProviderButton
            {...byProvider}
            label={`Join with ${provider.name}`}
            invitation={token}
            kind={provider.only ? "main" : "plain"}
          />
        )}
      </>
    );
  }
  return (
    <Stack>
      <Text>Sign in with this address to join.</Text>
      <SignInForm email={email} done={onSignedIn}>
        {provider && <ProviderButton {...byProvider} label={`Sign in with ${provider.name}`} />}
      </SignInForm>
    </Stack>
  );
}

/** The store is shown from then on. */
function joined({ store }: SessionView): unknown {
  sessionStorage.removeItem(TOKEN);
  rememberSession(store?.role);
  return store && openStore(store.id);
}

interface AcceptProps {
  readonly token: string;
  readonly store: string;
  readonly email: string;
}

function Accept({ token, store, email }: AcceptProps) {
  const form = useForm({
    initial: {},
    send: (service) => service.api<SessionView>("POST", "/invitation/accept", { token }),
    done: joined,
  });
  return (
    <Form form={form} label={`Join ${store}`} fullWidth>
      <Text>
        You are signed in as <bdi translate="no">{email}</bdi>.
      </Text>
    </Form>
  );
}

function NewPerson({ token, email }: { readonly token: string; readonly email: string }) {
  const form = useForm({
    draft: "invitation-taken",
    initial: { name: "", password: "" },
    send: (service, { name, password }) =>
      service.api<SessionView>("POST", "/invitation/accept", { token, password, name: name.trim() }),
    done: joined,
  });
  return (
    <Form form={form} label="Create account and join" fullWidth>
      <PasswordOwner email={email} />
      <TextInput
        {...form.field("name", "Your name")}
        {...nameRules(PERSON_NAME_LENGTH_MAX)}
        autoComplete="name"
        autoFocus
      />
      <NewPassword {...form.secret("password", "Password")} />
    </Form>
  );
}

interface OtherAccountProps {
  readonly signedInAs: string;
  readonly email: string;
  readonly onSignedOut: () => void;
}

function OtherAccount({ signedInAs, email, onSignedOut }: OtherAccountProps) {
  const signOut = useChange((service) => service.request("POST", "/auth/sign-out"), {
    done: () => {
      forgetSession();
      onSignedOut();
    },
  });
  return (
    <Stack>
      <Text className="breaks">
        You are signed in as <bdi translate="no">{signedInAs}</bdi>. Sign out to join as{" "}
        <bdi translate="no">{email}</bdi>.
      </Text>
      <SendingAction kind="main" label="Sign out and continue" change={signOut} failure="You could not be signed out" />
    </Stack>
  );
}
