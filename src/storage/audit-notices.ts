import type { AuditAction, AuditRecord } from "#core/audit.ts";
import type { Mail, Notice } from "#core/mail.ts";

const ABOUT: Readonly<Partial<Record<AuditAction, Notice["about"]>>> = {
  "password.changed": "password-changed",
  "password.reset_by_operator": "password-changed",
  "second_factor.enabled": "second-factor-enabled",
  "second_factor.disabled": "second-factor-disabled",
  "passkey.added": "passkey-added",
  "passkey.removed": "passkey-removed",
  "webhook.disabled": "webhook-disabled",
};

/** The notice about an audit entry to the holder of the account; undefined for most entries. */
export function noticeOf(record: AuditRecord): Mail | undefined {
  const about = aboutOf(record);
  if (!about) return undefined;
  const { account, at, actor } = record;
  // The new address is reported to the old one.
  const to = about === "email-changed" ? { to: actor.name } : {};
  return { kind: "notice", account, ...to, notice: { about, at, what: whatOf(record) } };
}

function aboutOf({ action, detail }: AuditRecord): Notice["about"] | undefined {
  if (action === "sign_in.succeeded") return detail?.new_device ? "new-device" : undefined;
  if (action === "settings.changed") return detail?.email ? "email-changed" : undefined;
  return ABOUT[action];
}

function whatOf({ action, actor, device, address, detail }: AuditRecord): string {
  if (action === "webhook.disabled") return String(detail?.url ?? "");
  if (actor.kind === "operator") return "the operator of the service";
  return [device, address].filter(Boolean).join(", ");
}
