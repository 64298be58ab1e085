import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { type Role, rolesWith } from "#contract/dashboard/role.ts";
import { Action } from "../components/action.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { useMay, useSession } from "../session/session.ts";
import { rightOf, SETTINGS } from "./pages.ts";

/** Replaces a page that the reader may not see with the reason and the way on. */
export default function RefusedPage() {
  const { account, store, provider, signup } = useSession();
  const may = useMay();
  const [path] = useLocation();
  const right = rightOf(path);
  if (!store) {
    return (
      <Refusal title="You belong to no store" action={<Action label="Go to your settings" href={SETTINGS} />}>
        <Text>
          Plants, tokens and figures belong to a store. To get into one, ask one of its owners to invite{" "}
          <bdi translate="no">{account.email}</bdi>, and open the link of the invitation in this browser.
        </Text>
        {signup === "open" && <Text>You may also make a store of your own, under Settings, Account.</Text>}
        {provider !== null && (
          <Text>
            People who sign in with {provider} join a store by their groups there, unless it is full. Ask an owner for
            room, or the administrator of {provider} for the group, and sign in again.
          </Text>
        )}
        <Text>Your own settings are here all the same: your name, your password, and how you sign in.</Text>
      </Refusal>
    );
  }
  if (right && !may(right)) {
    return (
      <Refusal
        title="Your role does not show this page"
        action={<Action label="Go to the Overview" href="/dashboard" />}
      >
        <Text>
          It takes the role {rolesWith(right).join(" or ")}. In <bdi translate="no">{store.name}</bdi> you are{" "}
          {ARTICLES[store.role]} {store.role}; an owner can change that.
        </Text>
      </Refusal>
    );
  }
  return (
    <Refusal
      title="This store asks for a second factor"
      action={<Action label="Add a second factor" kind="main" href={`${SETTINGS}/security`} />}
    >
      <Text>
        Everybody in <bdi translate="no">{store.name}</bdi> needs a code from an app, or a passkey, in addition to the
        password. Add one under Security, and the store opens.
      </Text>
    </Refusal>
  );
}

const ARTICLES: Readonly<Record<Role, string>> = { viewer: "a", editor: "an", developer: "a", owner: "an" };

interface RefusalProps {
  readonly title: string;
  readonly action: ReactNode;
  readonly children: ReactNode;
}

function Refusal({ title, action, children }: RefusalProps) {
  return (
    <>
      <PageTitle title={title} />
      <Stack className="panel breaks" maw={640} align="flex-start">
        {children}
        {action}
      </Stack>
    </>
  );
}
