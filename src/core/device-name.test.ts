import { expect, test } from "bun:test";
import { deviceName } from "./device-name.ts";

test.each([
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/147.0 Safari/537.36 Edg/147.0",
    "Edge on Windows",
  ],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605 Version/18.0 Safari/605", "Safari on macOS"],
  ["Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/147.0 Mobile Safari/537.36", "Chrome on Android"],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18.0 Safari/604",
    "Safari on iPhone",
  ],
  ["curl/8.9.1", "curl"],
  ["https://evil.example/win", "Unknown device"],
  ["", "Unknown device"],
])("%s is shown as %s", (userAgent, name) => {
  expect(deviceName(userAgent)).toBe(name);
});
