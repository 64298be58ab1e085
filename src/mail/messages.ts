import type { Notice } from "#core/mail.ts";

/** The content of a message, before it is formatted. */
export interface Message {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly link?: { readonly label: string; readonly url: string };
}

/** Addresses of the service, all below BASE_URL. */
export interface ServiceLinks {
  readonly settings: string;
  readonly tokens: string;
}

export function verifyMessage(url: string): Message {
  return {
    subject: "Verify your e-mail address",
    paragraphs: [
      "This address belongs to an account of Plantstore. Open the link to show that you read its mail.",
      "The link works once, for one day. If the account is not yours, ignore this message.",
    ],
    link: { label: "Verify the address", url },
  };
}

export function recoveryMessage(url: string): Message {
  return {
    subject: "Set a new password",
    paragraphs: [
      "Somebody asked for a new password for your account of Plantstore. If it was you, open the link and choose one.",
      "The link works once, for one hour. A new password ends every session. If it was not you, ignore this message.",
    ],
    link: { label: "Set a new password", url },
  };
}

/** The message of `plantstore mail test`. */
export function testMessage(): Message {
  return { subject: "Test of Plantstore's mail", paragraphs: ["This message shows that Plantstore can send mail."] };
}

/** It names nobody: a stranger could have chosen the names. */
export function invitationMessage(url: string): Message {
  return {
    subject: "You are invited to Plantstore",
    paragraphs: [
      "Somebody invites you to a store of Plantstore. The page behind the link says who, and to what, before it asks for anything.",
      "The link works once, for seven days. If you expect no invitation, ignore this message.",
    ],
    link: { label: "See the invitation", url },
  };
}

type Wording = (what: string, store: string) => readonly [subject: string, sentence: string];

const WORDINGS: Readonly<Record<Notice["about"], Wording>> = {
  "new-device": (what) => [
    "New sign-in",
    `Somebody signed in to your account from a browser that is new to it: ${what}.`,
  ],
  "password-changed": (what) => ["Password changed", `The password of your account was changed (${what}).`],
  "email-changed": (what) => [
    "E-mail address changed",
    `Your account has another e-mail address from now on (${what}).`,
  ],
  "second-factor-enabled": (what) => ["Two-factor turned on", `Signing in to your account takes a code now (${what}).`],
  "second-factor-disabled": (what) => [
    "Two-factor turned off",
    `Signing in to your account takes no code any more (${what}).`,
  ],
  "passkey-added": (what) => ["Passkey added", `A passkey that signs in to your account was added (${what}).`],
  "passkey-removed": (what) => ["Passkey removed", `A passkey of your account was removed (${what}).`],
  "identity-added": (what) => [
    "Identity connected",
    `An identity of the sign-in provider that signs in to your account was connected (${what}).`,
  ],
  "identity-removed": (what) => [
    "Identity removed",
    `An identity of the sign-in provider was removed from your account (${what}).`,
  ],
  "tokens-expiring": (what, store) => [
    "Tokens expire soon",
    `These tokens of the store ${store} expire within a week: ${what}.`,
  ],
  "webhook-disabled": (what, store) => [
    "Webhook turned off",
    `Deliveries to a webhook endpoint of the store ${store} (${what}) kept failing, so it was turned off.`,
  ],
  "owner-added": (_, store) => [
    "New owner of a store",
    `The store ${store}, of which you are an owner, has one more owner.`,
  ],
  "role-changed": (what, store) => [
    "Role changed",
    `Your role in the store ${store} was changed: you are ${withArticle(what)} of it now.`,
  ],
  "membership-ended": (_, store) => ["Removed from a store", `You were removed from the store ${store}.`],
  "store-removed": (what) => [
    "Store removed",
    `The store ${what}, to which you belonged, was removed with everything it had. You can still sign in.`,
  ],
  "certificate-ending": (what) => [
    "Certificate ends soon",
    `The certificate of this service (${what}) could not be renewed yet. \`plantstore status\` and the log say why.`,
  ],
};

/** `store` is the name of the store that the notice is about, if it is about one. */
export function noticeMessage({ about, at, what }: Notice, store: string, links: ServiceLinks): Message {
  const [subject, sentence] = WORDINGS[about](what, store);
  if (about === "certificate-ending") return { subject, paragraphs: [sentence] };
  const time = `It happened at ${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC.`;
  if (about === "tokens-expiring" || about === "webhook-disabled") {
    return { subject, paragraphs: [sentence], link: { label: "See your tokens and webhooks", url: links.tokens } };
  }
  if (ABOUT_MEMBERSHIP.has(about)) {
    return {
      subject,
      paragraphs: [sentence, time],
      link: { label: "See the stores you belong to", url: links.settings },
    };
  }
  return {
    subject,
    paragraphs: [sentence, time, "If it was not you, set a new password at once and look at the security log."],
    link: { label: "See your settings", url: links.settings },
  };
}

const ABOUT_MEMBERSHIP: ReadonlySet<Notice["about"]> = new Set([
  "owner-added",
  "role-changed",
  "membership-ended",
  "store-removed",
]);

function withArticle(role: string): string {
  return `${/^[eo]/.test(role) ? "an" : "a"} ${role}`;
}

/** The message as plain text, with lines of any length. */
export function plainText({ paragraphs, link }: Message): string {
  const parts = link ? [...paragraphs, `${link.label}:\n${link.url}`] : paragraphs;
  return `${parts.join("\n\n")}\n\n-- \nPlantstore\n`;
}

/** The same message as HTML: one column, system fonts, no images, and nothing that has to be loaded. */
export function html({ subject, paragraphs, link }: Message): string {
  const body = paragraphs.map((text) => `<p style="margin:0 0 16px">${Bun.escapeHTML(text)}</p>`).join("\n");
  const button = link
    ? `<p style="margin:24px 0"><a href="${Bun.escapeHTML(link.url)}" style="background:#2b7a3d;color:#ffffff;padding:10px 16px;border-radius:4px;text-decoration:none">${Bun.escapeHTML(link.label)}</a></p>
<p style="margin:0;color:#5c5f66;font-size:13px;word-break:break-all">${Bun.escapeHTML(link.url)}</p>`
    : "";
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${Bun.escapeHTML(subject)}</title></head>
<body style="margin:0;padding:24px;background:#ffffff;color:#1f2328;font:16px/1.5 system-ui,sans-serif">
<div style="max-width:520px">
<p style="margin:0 0 24px;font-weight:600">Plantstore</p>
${body}
${button}
</div>
</body>
</html>
`;
}
