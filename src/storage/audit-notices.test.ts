import { describe, expect, test } from "bun:test";
import type { AuditAction, AuditedAct, AuditRecord } from "#core/audit.ts";
import { noticesOf } from "./audit-notices.ts";

const AT = Date.parse("2026-03-10T12:00:00.000Z");

/** Of a store's log if the act is about the store, or else of a person's. */
function record(action: AuditAction, more: Partial<AuditedAct> = {}): AuditRecord {
  const actor = { kind: "session", id: "ses_1", name: "old@example.test" } as const;
  const origin = { device: "Firefox on Linux", address: "192.0.2.7" };
  const log = /^(?:member|webhook|token|store)/.test(action) ? { account: 7 } : { ofPerson: "per_7" };
  return { id: "aud_1", at: AT, ...log, action, actor, ...origin, ...more };
}

describe("the holder of an account is told by mail", () => {
  test.each([
    ["password.changed", undefined, "password-changed"],
    ["password.reset_by_operator", undefined, "password-changed"],
    ["second_factor.enabled", undefined, "second-factor-enabled"],
    ["second_factor.disabled", undefined, "second-factor-disabled"],
    ["passkey.added", undefined, "passkey-added"],
    ["passkey.removed", undefined, "passkey-removed"],
    ["webhook.disabled", { reason: "failing" }, "webhook-disabled"],
    ["webhook.disabled", { reason: "by_hand" }, undefined],
    ["sign_in.succeeded", { new_device: true }, "new-device"],
    ["sign_in.succeeded", { new_device: false }, undefined],
    ["sign_in.failed", undefined, undefined],
    ["settings.changed", { email: "new@example.test" }, "email-changed"],
    ["settings.changed", { name: "Moss" }, undefined],
    ["token.created", undefined, undefined],
  ] as const)("of %s with %j as %s", (action, detail, told) => {
    expect(noticesOf(record(action, { detail }))[0]?.[0].about).toBe(told);
  });

  test.each([
    ["member.role_changed", { role: "editor", was: "viewer" }, [["role-changed", { person: "per_1", store: 7 }]]],
    [
      "member.role_changed",
      { role: "owner", was: "viewer" },
      [
        ["role-changed", { person: "per_1", store: 7 }],
        ["owner-added", { owners: 7, except: "per_1" }],
      ],
    ],
    ["member.joined", { role: "owner" }, [["owner-added", { owners: 7, except: "per_1" }]]],
    ["member.joined", { role: "editor" }, []],
    ["member.invited", { role: "owner" }, []],
    ["member.removed", {}, [["membership-ended", { person: "per_1", store: 7 }]]],
    ["webhook.disabled", { reason: "failing" }, [["webhook-disabled", { owners: 7 }]]],
    ["passkey.added", {}, [["passkey-added", { person: "per_7" }]]],
  ] as const)("%s with %j is told to whom it concerns", (action, detail, told) => {
    const notices = noticesOf(record(action, { detail, target: "per_1" }));
    expect(notices.map(([{ about }, to]) => [about, to])).toEqual(told as never);
  });

  test("where it was done from, that the operator did it, or the id of the endpoint, and never its address", () => {
    const what = (action: AuditAction, more: Partial<AuditedAct> = {}) => noticesOf(record(action, more))[0]?.[0].what;
    expect(what("passkey.added")).toBe("Firefox on Linux, 192.0.2.7");
    expect(what("passkey.added", { device: undefined })).toBe("192.0.2.7");
    expect(what("password.changed", { device: undefined, address: undefined })).toBe("");
    const operator = { kind: "operator", id: "", name: "root" } as const;
    expect(what("password.reset_by_operator", { actor: operator })).toBe("the operator of the service");
    expect(what("webhook.disabled", { target: "we_1", detail: { url: "https://shop.example/" } })).toBe("we_1");
  });
});
