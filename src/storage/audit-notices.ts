import type { AuditAction, AuditRecord } from "#core/audit.ts";
import type { Notice } from "#core/mail.ts";
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
  const { action, at, account, target: person = "", detail } = record;
  const about = aboutOf(record);
  const notice = about && ({ about, at, what: whatOf(record) } satisfies Notice);
  const ofOwner =
    detail?.role === "owner" && (action === "member.joined" || action === "member.role_changed")
      ? [
          [
            { about: "owner-added", at, what: "" },
            { owners: account, except: person },
          ] as const,
        ]
      : [];
  if (!notice) return ofOwner;
  if (action === "webhook.disabled") return [[notice, { owners: account }]];
  return [[notice, action.startsWith("member") ? { person } : { account }], ...ofOwner];
}

function aboutOf({ action, detail }: AuditRecord): Notice["about"] | undefined {
  if (action === "sign_in.succeeded") return detail?.new_device ? "new-device" : undefined;
  if (action === "settings.changed") return detail?.email ? "email-changed" : undefined;
  if (action === "webhook.disabled") return detail?.reason === BY_HAND ? undefined : "webhook-disabled";
  return ABOUT[action];
}

function whatOf({ action, actor, target, detail, device, address }: AuditRecord): string {
  if (action === "member.role_changed") return String(detail?.role);
  if (action === "webhook.disabled") return target ?? "";
  if (actor.kind === "operator") return "the operator of the service";
  return [device, address].filter(Boolean).join(", ");
}
