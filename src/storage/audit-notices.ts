import type { AuditAction, AuditRecord } from "#core/audit.ts";
import type { Notice } from "#core/mail.ts";
import type { WebhookReason } from "#core/webhook.ts";

const ABOUT: Readonly<Partial<Record<AuditAction, Notice["about"]>>> = {
  "password.changed": "password-changed",
  "password.reset_by_operator": "password-changed",
  "second_factor.enabled": "second-factor-enabled",
  "second_factor.disabled": "second-factor-disabled",
  "passkey.added": "passkey-added",
  "passkey.removed": "passkey-removed",
  "identity.added": "identity-added",
  "identity.removed": "identity-removed",
};

const BY_HAND: WebhookReason = "by_hand";

/** The notice about an audit entry to the holder of the account; undefined for most entries. */
export function noticeOf(record: AuditRecord): Notice | undefined {
  const about = aboutOf(record);
  return about && { about, at: record.at, what: whatOf(record) };
}

function aboutOf({ action, detail }: AuditRecord): Notice["about"] | undefined {
  if (action === "sign_in.succeeded") return detail?.new_device ? "new-device" : undefined;
  if (action === "settings.changed") return detail?.email ? "email-changed" : undefined;
  if (action === "webhook.disabled") return detail?.reason === BY_HAND ? undefined : "webhook-disabled";
  return ABOUT[action];
}

function whatOf({ action, actor, target, device, address }: AuditRecord): string {
  if (action === "webhook.disabled") return target ?? "";
  if (actor.kind === "operator") return "the operator of the service";
  return [device, address].filter(Boolean).join(", ");
}
