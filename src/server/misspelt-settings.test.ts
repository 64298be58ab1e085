import { expect, test } from "bun:test";
import { misspeltSettings } from "./misspelt-settings.ts";

test.each([
  ["SINGUP", "SIGNUP"],
  ["SIGNUPS", "SIGNUP"],
  ["BACKUPS_TO", "BACKUP_TO"],
  ["DATABASE_URI", "DATABASE_URL"],
  ["PROT", "PORT"],
])("%s is probably %s", (variable, meant) => {
  expect(misspeltSettings({ [variable]: "x" })).toEqual([{ variable, meant }]);
});

test.each([
  "HOME",
  "PATH",
  "USER",
  "TMP",
  "SIGNUP",
  "OTEL_SERVICE_NAME",
  "SSL_CERT_FILE",
  "HTTP_PROXY",
  "PLANTSTORE_URL",
])("%s is taken for no other", (variable) => {
  const found = misspeltSettings({ [variable]: "x" });
  expect(found).toEqual([]);
});
