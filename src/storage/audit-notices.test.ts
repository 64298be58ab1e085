import { describe, expect, test } from "bun:test";
import type { AuditAction, AuditRecord } from "#core/audit.ts";
import { noticeOf } from "./audit-notices.ts";

const AT = Date.parse("2026-03-10T12:00:00.000Z");

function record(action: AuditAction, more: Partial<AuditRecord> = {}): AuditRecord {
  const actor = { kind: "session", id: "ses_1", name: "old@example.test" } as const;
  const origin = { device: "Firefox on Linux", address: "192.0.2.7" };
  return { id: "aud_1", at: AT, account: 7, action, actor, ...origin, ...more };
}

const about = (action: AuditAction, more: Partial<AuditRecord> = {}) => noticeOf(record(action, more))?.about;

describe("the holder of an account is told by mail", () => {
  test.each([
    ["password.changed", "password-changed"],
    ["password.reset_by_operator", "password-changed"],
    ["second_factor.enabled", "second-factor-enabled"],
    ["second_factor.disabled", "second-factor-disabled"],
    ["passkey.added", "passkey-added"],
    ["passkey.removed", "passkey-removed"],
    ["webhook.disabled", "webhook-disabled"],
  ] as const)("of %s", (action, told) => {
    expect(about(action)).toBe(told);
  });

  test.each([
    "sign_in.failed",
    "session.ended",
    "token.created",
    "token.revoked",
    "webhook.created",
    "export.made",
    "account.deleted",
    "backup.made",
  ] as const)("not of %s", (action) => {
    expect(noticeOf(record(action))).toBeUndefined();
  });

  test.each([
    ["sign_in.succeeded", { new_device: true }, "new-device"],
    ["sign_in.succeeded", { new_device: false }, undefined],
    ["sign_in.succeeded", undefined, undefined],
    ["settings.changed", { email: "new@example.test" }, "email-changed"],
    ["settings.changed", { name: "Moss" }, undefined],
    ["webhook.disabled", { reason: "failing" }, "webhook-disabled"],
    ["webhook.disabled", { reason: "by_hand" }, undefined],
  ] as const)("of %s with %j as %s", (action, detail, told) => {
    expect(about(action, { detail })).toBe(told);
  });

  test("where it was done from, that the operator did it, or the id of the endpoint, and never its address", () => {
    const what = (action: AuditAction, more: Partial<AuditRecord> = {}) => noticeOf(record(action, more))?.what;
    expect(what("passkey.added")).toBe("Firefox on Linux, 192.0.2.7");
    expect(what("passkey.added", { device: undefined })).toBe("192.0.2.7");
    expect(what("password.changed", { device: undefined, address: undefined })).toBe("");
    const operator = { kind: "operator", id: "", name: "root" } as const;
    expect(what("password.reset_by_operator", { actor: operator })).toBe("the operator of the service");
    expect(what("webhook.disabled", { target: "we_1", detail: { url: "https://shop.example/" } })).toBe("we_1");
  });
});
