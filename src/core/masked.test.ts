import { describe, expect, test } from "bun:test";
import { masked } from "./masked.ts";

const RANDOM = "a1B2c3".repeat(6);
const TOKEN = `plant_${RANDOM}`;
const WEBHOOK = `whsec_${"x/Y+z9".repeat(5)}==`;

test("tokens, webhook secrets and credentials are masked wherever they stand", () => {
  expect(masked(`{"name":"${TOKEN}"}`)).toBe('{"name":"plant_…"}');
  expect(masked(`a ${WEBHOOK} b`)).toBe("a whsec_… b");
  expect(masked(`Authorization: Bearer ${TOKEN}, x`)).toBe("Authorization: Bearer …, x");
  expect(masked("authorization=bearer%20abcdef&x=1")).toBe("authorization=bearer …&x=1");
  expect(masked("postgres://plantstore:hunter2@db:5432/plants")).toBe("postgres://…@db:5432/plants");
  expect(masked("AGE-SECRET-KEY-1QQPZRY9X8GF2TVDW0")).toBe("…");
});

const percent = (text: string) =>
  [...text].map((each) => `%${each.charCodeAt(0).toString(16).padStart(2, "0")}`).join("");
const escaped = (text: string) =>
  [...text].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
const some = (text: string, encode: (text: string) => string) => text.replace(/[_a1+/ ]/g, encode);
const asJson = (text: string) => JSON.stringify(text).slice(1, -1);

const inPath = (text: string) => new URL(`http://localhost/${some(text, escaped)}`).pathname.slice(1);

const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  "percent-encoded": percent,
  "percent-encoded in part, in capitals": (text) => some(text, (each) => percent(each).toUpperCase()),
  "percent-encoded twice": (text) => encodeURIComponent(percent(text)),
  escaped,
  "escaped in part": (text) => some(text, escaped),
  "escaped in a JSON text within a JSON text": (text) => asJson(asJson(some(text, escaped))),
  "escaped in a path, whose backslashes became slashes": inPath,
  "percent-encoded after it was escaped": (text) => encodeURIComponent(some(text, escaped).replaceAll("/", "\\/")),
};

describe.each(Object.entries(ENCODINGS))("%s", (_, encode) => {
  test.each([TOKEN, WEBHOOK, `Bearer ${TOKEN}`, "Bearer another-credential.of+some/kind"])("%s is masked", (secret) => {
    const shown = masked(`{"path":"/v1/x?q=${encode(secret)}","next":"${encode(secret)}\\n\\"rest\\""}`);
    for (const part of ["a1B2", "z9", "another", "credential"]) {
      for (const form of [part, encode(part)]) expect(shown).not.toContain(form);
    }
    expect(shown).toEndWith('\\n\\"rest\\""}');
  });
});

test("a private key in PEM is masked to its end, or to that of the text", () => {
  const [begin, end] = ["-----BEGIN EC PRIVATE KEY-----", "-----END EC PRIVATE KEY-----"];
  expect(masked(`no file ${begin}\nMIGH\n${end} (ENOENT)`)).toBe("no file … (ENOENT)");
  expect(masked(JSON.stringify({ path: `${begin}\nMIGH`, rest: 1 }))).toBe('{"path":"…","rest":1}');
});

test("what looks only a little like a secret is left as it is", () => {
  const sentences = [
    "a plant_pot and a Bear",
    "Send a token: Authorization: Bearer <ACCESS_TOKEN>",
    "https://store.example/a:b@c",
    "%70%6c\\u0061",
  ];
  for (const sentence of sentences) expect(masked(sentence)).toBe(sentence);
});

test("a long run of what an encoded secret begins with takes no longer than its length", () => {
  const start = process.cpuUsage();
  for (const part of ["\\", "%", "%25", "bearer ", "plant_", "://a:", "\\u0070", "-----begin ", "b"])
    masked(part.repeat(200_000));
  expect(process.cpuUsage(start).user).toBeLessThan(5_000_000);
});
