import { Stack, Text } from "@mantine/core";
import type { AuditPage, AuditRecord } from "#contract/dashboard/audit.ts";
import { targetName } from "#contract/dashboard/audit-target.ts";
import { usePages } from "../api/asking.ts";
import { useAddress } from "../browser/address.ts";
import { Segments, Select } from "../components/filters.tsx";
import { type Column, EmptyState, TableList, timeColumn } from "../components/list.tsx";
import { NextLink } from "../components/page-link.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { DEVELOPER } from "../program/pages.ts";
import { useMay, useSession } from "../session/session.ts";
import { capitalized } from "../text/sentence.ts";

const ACTIONS = {
  "": "All actions",
  sign_in: "Sign-ins",
  session: "Sessions",
  password: "Password",
  second_factor: "Two-factor",
  passkey: "Passkeys",
  identity: "Identities",
  token: "Tokens",
  webhook: "Webhooks",
  export: "Exports",
  backup: "Backups",
  settings: "Settings",
  account: "Account",
  member: "People",
  invitation: "Invitations",
  store: "Store",
};

const COLUMNS: readonly Column<AuditRecord>[] = [
  {
    title: "Action",
    className: "breaks",
    cell: (record) => (
      <>
        {actionText(record.action)}
        <Text variant="remark">
          {/* An id says little to its reader, and stands only for what has no name. */}
          <bdi translate="no">{targetName(record) || record.target}</bdi>
        </Text>
        {isOfApi(record) && <RequestLink id={record.request_id} />}
      </>
    ),
  },
  {
    title: "By",
    visibleFrom: "sm",
    className: "breaks",
    cell: (record) => <bdi translate="no">{actorText(record)}</bdi>,
  },
  {
    title: "From",
    visibleFrom: "sm",
    className: "breaks",
    cell: ({ device, address }) => [device, address].filter(Boolean).join(", "),
  },
  timeColumn(({ at }) => at, 90, null),
];

function RequestLink({ id }: { readonly id: string | undefined }) {
  const may = useMay();
  return may("read requests") && <NextLink href={`${DEVELOPER}/requests/${id}`}>Show the request</NextLink>;
}

const WHOSE = { "": "This store", own: "Yourself" };

/** An owner reads the log of the store, and their own where that is another one; everybody else their own alone. */
export default function SecurityLogPage() {
  const { account, store } = useSession();
  const may = useMay();
  const [search, change] = useAddress();
  const isOfStore = may("read security log");
  const hasTwo = isOfStore && store?.id !== account.id;
  const whose = !isOfStore || (hasTwo && search.get("of") === "own") ? "own" : "";
  const action = search.get("action") ?? "";
  const entries = usePages<AuditPage>(whose === "own" ? "/account/audit" : "/audit", action ? { action } : {});
  return (
    <>
      <PageTitle
        title="Security log"
        text={
          hasTwo && whose === ""
            ? "What the people of this store did to its security. Entries cannot be edited."
            : "Sign-ins and changes to the security of your account. Entries cannot be edited."
        }
      >
        {hasTwo && (
          <Segments label="Of" choices={WHOSE} value={whose} onChange={(of) => change({ of, action: undefined })} />
        )}
        <Select label="Action" choices={ACTIONS} value={action} onChange={(chosen) => change({ action: chosen })} />
      </PageTitle>
      <Stack className="panel wide">
        <TableList
          {...entries}
          empty={<EmptyState title="No entries" text="Nothing of this kind has happened." />}
          label="Security log"
          verticalSpacing="sm"
          columns={COLUMNS}
          timeOf={({ at }) => at}
          keyOf={({ id }) => id}
        />
      </Stack>
    </>
  );
}

/** True for what a request to the API did. The dashboard's own are in no log of requests. */
function isOfApi({ action, actor, request_id }: AuditRecord): boolean {
  return request_id !== undefined && (actor.kind === "token" || /^(?:webhook|export)\./.test(action));
}

/** Actions whose names do not read as what was done. */
const SAID: Readonly<Record<string, string>> = {
  "sign_in.succeeded": "Signed in",
  "sign_in.second_factor_failed": "Sign-in refused for a wrong code",
  "sign_in.failed": "Sign-in refused",
  "password.reset_by_operator": "Password reset by the operator",
  "second_factor.enabled": "Two-factor sign-in turned on",
  "second_factor.disabled": "Two-factor sign-in turned off",
  "second_factor.backup_codes_made": "New backup codes made",
  "second_factor.backup_code_used": "Signed in with a backup code",
  "webhook.secret_rolled": "Secret of a webhook endpoint rolled",
  "settings.changed": "Settings changed",
  "member.invited": "Invited",
  "member.joined": "Joined the store",
  "member.role_changed": "Role changed",
  "member.removed": "Removed from the store",
  "member.left": "Left the store",
  "store.created": "Store made",
  "store.emptied": "Test store emptied",
};

/** "token.revoked" as "Token revoked". */
function actionText(action: string): string {
  return SAID[action] ?? capitalized(action.replaceAll(/[_.]/g, " "));
}

function actorText({ action, actor: { kind, name } }: AuditRecord): string {
  if (kind === "session") return name || "You";
  if (kind === "operator") return "The operator";
  if (kind === "token") return `Token ${name}`;
  return action.startsWith("sign_in") ? "Somebody who is not signed in" : "Plantstore";
}
