import { expect, test } from "bun:test";
import { noticeMessage, recoveryMessage } from "./messages.ts";
import { html, plainText } from "./template.ts";

const LINKS = {
  settings: "https://plants.example/dashboard/settings",
  tokens: "https://plants.example/dashboard/developer",
};

test("text that a stranger chose stays text in the HTML", () => {
  const what = `<img src=x onerror="alert('1')">`;
  const message = noticeMessage({ about: "new-device", at: 0, what }, LINKS);
  expect(html(message)).not.toContain("<img");
  expect(html(message)).toContain("&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;");
  expect(plainText(message)).toContain(what);
});

test("both forms carry the same words and the same link, and load nothing from anywhere", () => {
  const url = "https://plants.example/dashboard/recovery?token=abc";
  const message = recoveryMessage(url);
  for (const form of [html(message), plainText(message)]) {
    expect(form).toContain(url);
    for (const paragraph of message.paragraphs) expect(form).toContain(paragraph);
  }
  expect(html(message).match(/\b(?:src|background)=|@import|url\(/g)).toBe(null);
});
