import { describe, expect, test } from "bun:test";
import type { Notice } from "#core/mail.ts";
import { html, type Message, noticeMessage, plainText, recoveryMessage, verifyMessage } from "./messages.ts";

const ORIGIN = "https://plants.example";
const LINKS = { settings: `${ORIGIN}/dashboard/settings`, tokens: `${ORIGIN}/dashboard/developer` };
const AT = Date.parse("2026-03-10T12:34:56.000Z");

const ABOUTS: Notice["about"][] = [
  "new-device",
  "password-changed",
  "email-changed",
  "second-factor-enabled",
  "second-factor-disabled",
  "passkey-added",
  "passkey-removed",
  "tokens-expiring",
  "webhook-disabled",
];
const notice = (about: Notice["about"], what = "Firefox on Linux, 192.0.2.1") =>
  noticeMessage({ about, at: AT, what }, "Greenleaf", LINKS);

const MESSAGES: [name: string, message: Message][] = [
  ["verification", verifyMessage(`${ORIGIN}/dashboard/verify-email?token=abc`)],
  ["recovery", recoveryMessage(`${ORIGIN}/dashboard/recovery?token=abc`)],
  ...ABOUTS.map((about): [string, Message] => [about, notice(about)]),
];

/** The addresses that a text holds. */
const addresses = (text: string) => [...text.matchAll(/https?:\/\/[^\s"'<]+/g)].map(([address]) => address);

test.each(MESSAGES)(
  "the message %s leads to the service and to nowhere else, in both forms, which say the same",
  (_, message) => {
    const [text, page] = [plainText(message), html(message)];
    expect(message.subject).toMatch(/^[^\r\n]{5,60}$/);
    expect(page).not.toMatch(/\b(?:src|background)=|@import|url\(/);
    for (const form of [text, page]) {
      for (const paragraph of message.paragraphs) expect(form).toContain(paragraph);
      expect(addresses(form).length).toBeGreaterThan(0);
      for (const address of addresses(form)) expect(address).toStartWith(`${ORIGIN}/dashboard/`);
    }
    // It is told from a mailing by its signature, as RFC 3676 has it.
    expect(text).toEndWith("\n\n-- \nPlantstore\n");
  },
);

describe("a notice", () => {
  test("names what has happened, from where, and when", () => {
    const { paragraphs } = notice("new-device");
    expect(paragraphs.join(" ")).toContain("Firefox on Linux, 192.0.2.1");
    expect(paragraphs.join(" ")).toContain("2026-03-10 12:34 UTC");
  });

  test.each(ABOUTS.filter((about) => about !== "tokens-expiring" && about !== "webhook-disabled"))(
    "of %s says what to do if it was somebody else, and leads to the settings",
    (about) => {
      expect(notice(about).paragraphs.join(" ")).toContain("If it was not you");
      expect(notice(about).link?.url).toBe(LINKS.settings);
    },
  );

  test.each(["tokens-expiring", "webhook-disabled"] as const)("of %s leads to tokens and webhooks", (about) => {
    expect(notice(about, "import").paragraphs.join(" ")).toContain("import");
    expect(notice(about).link?.url).toBe(LINKS.tokens);
  });

  test("keeps its subject whatever the name of a thing is", () => {
    const hostile = "x\r\nBcc: everyone@example.test";
    for (const about of ABOUTS) expect(notice(about, hostile).subject).toBe(notice(about).subject);
  });
});

test.each(["&", "<", ">", '"', "'", "</p><script>alert(1)</script>", `<img src=x onerror="alert('1')">`, "&lt;"])(
  "text that a stranger chose, such as %j, is text in any part of the HTML",
  (text) => {
    const form = html({ subject: text, paragraphs: [text], link: { label: text, url: `${ORIGIN}/?q=${text}` } });
    const shown = form.replace(/<[^>]*>/g, "");
    expect(form).not.toMatch(/<(?:script|img)/);
    const entities = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'" };
    const read = shown.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => entities[entity as keyof typeof entities]);
    expect(read.split(text).length - 1).toBeGreaterThanOrEqual(4);
  },
);
