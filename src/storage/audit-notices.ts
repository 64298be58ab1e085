import type { AuditAction, AuditRecord } from "#core/audit.ts";
import { type Notice, plainName } from "#core/mail.ts";
import type { WebhookReason } from "#core/webhook.ts";
import type { Noticed } from "./mail.ts";

const ABOUT: Readonly<Partial<Record<AuditAction, Notice["about"]>>> = {
  "password.changed": "password-changed",
  "password.reset_by_operator": "password-changed",
  "second_factor.enabled": "second-factor-enabled",
  "second_factor.disabled": "second-factor-disabled",
  "passkey.added": "passkey-added",
  "passkey.removed": "passkey-removed",
  "member.role_changed": "role-changed",
  "member.removed": "membership-ended",
  "identity.added": "identity-added",
  "identity.removed": "identity-removed",
};

const BY_HAND: WebhookReason = "by_hand";

/** The notices about an audit entry, with whom they are for; none for most entries. */
export function noticesOf(record: AuditRecord): readonly (readonly [Notice, Noticed])[] {
  const { action, at, account, ofPerson, target = "", detail } = record;
  const about = aboutOf(record);
  const notice = about && ({ about, at, what: whatOf(record) } satisfies Notice);
  if (account === undefined) return notice && ofPerson !== undefined ? [[notice, { person: ofPerson }]] : [];
  const isNewOwner = detail?.role === "owner" && (action === "member.joined" || action === "member.role_changed");
  const ofOwner = { about: "owner-added", at, what: "" } as const;
  const to =
    about === "webhook-disabled"
      ? { owners: account }
      : about === "store-removed"
        ? { people: account }
        : { person: target, store: account };
  return [
    ...(notice ? [[notice, to] as const] : []),
    ...(isNewOwner ? [[ofOwner, { owners: account, except: target }] as const] : []),
  ];
}

function aboutOf({ action, account, detail }: AuditRecord): Notice["about"] | undefined {
  if (action === "sign_in.succeeded") return detail?.new_device ? "new-device" : undefined;
  if (action === "settings.changed") return detail?.email ? "email-changed" : undefined;
  if (action === "account.deleted") return account === undefined ? undefined : "store-removed";
  if (action === "webhook.disabled") return detail?.reason === BY_HAND ? undefined : "webhook-disabled";
  return ABOUT[action];
}

function whatOf({ action, actor, target, detail, device, address }: AuditRecord): string {
  if (action === "member.role_changed") return String(detail?.role);
  if (action === "webhook.disabled") return target ?? "";
  if (action === "account.deleted") return plainName(String(detail?.name), target ?? "");
  if (actor.kind === "operator") return "the operator of the service";
  return [device, address].filter(Boolean).join(", ");
}
