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

  test("of a sign-in with a new device alone", () => {
    expect(about("sign_in.succeeded", { detail: { new_device: true } })).toBe("new-device");
    expect(about("sign_in.succeeded", { detail: { new_device: false } })).toBeUndefined();
    expect(about("sign_in.succeeded")).toBeUndefined();
  });

  test("of a new e-mail address, and not of a new name", () => {
    expect(about("settings.changed", { detail: { email: "new@example.test" } })).toBe("email-changed");
    expect(about("settings.changed", { detail: { name: "Moss" } })).toBeUndefined();
  });

  test("of an endpoint that was turned off by itself, and not by hand", () => {
    expect(about("webhook.disabled", { detail: { reason: "failing" } })).toBe("webhook-disabled");
    expect(about("webhook.disabled", { detail: { reason: "by_hand" } })).toBeUndefined();
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
