import { Center, Checkbox, Text, TextInput } from "@mantine/core";
import type { InvitationRecord, NewInvitation } from "#contract/dashboard/people.ts";
import type { Role } from "#contract/dashboard/role.ts";
import { Radios } from "../components/filters.tsx";
import { EMAIL_RULES, Form, useForm } from "../components/form.tsx";
import { LocalAddressNotice } from "../components/local-address-notice.tsx";
import { PageLink } from "../components/page-link.tsx";
import { QrCode } from "../components/qr-code.tsx";
import { SecretDialog, type ShownSecret } from "../components/secret-dialog.tsx";
import { SETTINGS } from "../program/pages.ts";
import { useSession } from "../session/session.ts";
import { PEOPLE, ROLES } from "./people.tsx";

interface InviteProps {
  readonly again: InvitationRecord | undefined;
  readonly open: boolean;
  readonly onMailed: (email: string) => void;
  readonly onClose: () => void;
}

export function Invite({ again, open, onMailed, onClose }: InviteProps) {
  const { account, mail } = useSession();
  // Mail is sent for an owner whose own address is known to be theirs.
  const mails = mail && account.email_verified;
  const form = useForm({
    draft: again ? undefined : "invitation",
    initial: { email: again?.email ?? "", role: again?.role ?? ("viewer" as Role), link: again?.mailed === false },
    send: (service, { email, role, link }) => {
      const asked = { email: email.trim(), role, link: link || !mails };
      return service.api<NewInvitation>("POST", "/people/invitations", asked, role === "owner" ? "asked" : "recent");
    },
    changes: [PEOPLE],
    done: ({ link, invitation }) => {
      if (link !== null) return;
      onMailed(invitation.email);
      onClose();
    },
  });
  const link = form.data?.link;
  if (!open && !link) return null;
  const leave = () => {
    if (form.data) form.restart();
    onClose();
  };
  const title = again ? "Invite again" : "Invite somebody";
  return (
    <SecretDialog title={title} secret={link ? shownLink(link, form.values.email) : undefined} onClose={leave}>
      <Form
        form={form}
        label={mails && !form.values.link ? "Send invitation" : "Create invitation link"}
        failure="The invitation could not be created"
        onCancel={onClose}
      >
        {again && <Text size="sm">The earlier link stops working.</Text>}
        <TextInput
          {...form.field("email", "E-mail")}
          description="They must sign in with this address"
          {...EMAIL_RULES}
          readOnly={again !== undefined}
          data-autofocus={again === undefined || undefined}
        />
        <Radios {...form.choice("role", "Role")} choices={ROLES} isFirst={again !== undefined} />
        {mails && <Checkbox {...form.checkbox("link", "Show me a link instead of sending mail")} />}
        {mail && !mails && (
          <Text size="sm">
            You get a link to pass on. To send invitations by mail,{" "}
            <PageLink href={SETTINGS}>verify your own address</PageLink> first.
          </Text>
        )}
      </Form>
    </SecretDialog>
  );
}

/** The link that is shown leads to the service. */
function ThisMachine() {
  const { base_url } = useSession();
  return <LocalAddressNotice address={base_url} title="Another device cannot open this link" />;
}

function shownLink(link: string, email: string): ShownSecret {
  return {
    what: "link",
    title: "Invitation link",
    warning: `Send it to ${email.trim()} yourself. It is not shown again, works once, and lasts 7 days.`,
    values: [link],
    picture: (
      <>
        <ThisMachine />
        <Center>
          <QrCode text={link} label="QR code of the link above" />
        </Center>
      </>
    ),
    file: { name: "plantstore-invitation.txt", content: `${link}\n` },
  };
}
