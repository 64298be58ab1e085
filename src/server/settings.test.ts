import { describe, expect, test } from "bun:test";
import { InvalidSetting, readSettings, SETTINGS } from "./settings.ts";

const RECIPIENT = "age1rsrjlmxp4ater54g059khyyjym89qrg4nzmmrqlrxafuxnulwcxsya6rr4";

type Name = keyof typeof SETTINGS;

function read(name: Name, value: string): unknown {
  return readSettings({ [name]: value })[name];
}

/** The message about a value that cannot be used; undefined if it can. */
function problem(environment: Readonly<Record<string, string>>): string | undefined {
  try {
    readSettings(environment);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidSetting) return error.message;
    throw error;
  }
}

describe("the settings", () => {
  test("need nothing to be set", () => {
    expect(readSettings({})).toMatchObject({
      HOST: "127.0.0.1",
      PORT: 3000,
      DATABASE_URL: "sqlite:data/plantstore.db",
      SIGNUP: "first",
      EVENTS_KEPT: 30 * 86_400_000,
      RATE_LIMIT: undefined,
      BACKUP_TO: undefined,
      TAKE_OVER: false,
      MCP: "off",
    });
  });

  test("take an empty value for none", () => {
    for (const value of ["", " ", "\n"]) {
      const empty = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, value]));
      expect(readSettings(empty)).toEqual(readSettings({}));
    }
  });

  test.each(Object.entries(SETTINGS))("%s has a meaning, and a default that it would take", (name, setting) => {
    expect(setting.meaning).toMatch(/\.$/);
    if (setting.fallback) expect(problem({ [name]: setting.fallback })).toBeUndefined();
  });
});

describe("a value", () => {
  test.each<[Name, string, unknown]>([
    ["HOST", "127.0.0.1, ::1", "127.0.0.1,::1"],
    ["HOST", "[::1]", "::1"],
    ["PORT", " 80\r\n", 80],
    ["DATABASE_URL", "sqlite:/tmp/x.db\n", "sqlite:/tmp/x.db"],
    ["DATABASE_URL", "sqlite:/tmp/a#b@c.db", "sqlite:/tmp/a#b@c.db"],
    ["DATABASE_URL", "postgres://u@srv:p%40%2F@db/x", "postgres://u@srv:p%40%2F@db/x"],
    ["DATABASE_URL", "postgres://db:5432/x?user=u@srv&password=p", "postgres://db:5432/x?user=u@srv&password=p"],
    ["PORT", "65535", 65_535],
    ["DATABASE_URL", "sqlite:/tmp/x.db", "sqlite:/tmp/x.db"],
    ["DATABASE_URL", "postgresql://u:p@db/plants", "postgresql://u:p@db/plants"],
    ["DATABASE_URL", "postgres:///plants?host=/run/postgresql", "postgres:///plants?host=/run/postgresql"],
    ["DATABASE_URL", "postgres://u@/plants?host=/run/postgresql", "postgres://u@/plants?host=/run/postgresql"],
    ["TRUSTED_PROXIES", "10.0.0.0/8, ::1 ,", ["10.0.0.0/8", "::1"]],
    ["BACKUP_EVERY", "90s", 90_000],
    ["BACKUP_KEEP", "24h:7d", [{ intervalMs: 86_400_000, durationMs: 7 * 86_400_000 }]],
    ["BACKUP_TO", "s3://my-bucket/prefix/", "s3://my-bucket/prefix/"],
    ["BASE_URL", "https://plants.example/", "https://plants.example/"],
    ["BACKUP_RECIPIENTS", `${RECIPIENT}, ${RECIPIENT}`, [RECIPIENT, RECIPIENT]],
    ["EVENTS_KEPT", "0", 0],
    ["EVENTS_KEPT", "0s", 0],
    ["MAIL_FROM", "Plants <plants@example.org>", "Plants <plants@example.org>"],
    ["MAIL_FROM", "plants@example.org", "plants@example.org"],
    ["MAIL_FROM", "plants@localhost", "plants@localhost"],
    ["METRICS", "127.0.0.1:9464", { hostname: "127.0.0.1", port: 9464 }],
    ["METRICS", "[::1]:9464", { hostname: "::1", port: 9464 }],
    ["OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%2Cb, x = y=z", { "api-key": "a,b", x: "y=z" }],
    ["OTEL_TRACES_SAMPLER_ARG", "1", 1],
    ["OTEL_TRACES_SAMPLER_ARG", "1e-3", 0.001],
    ["TAKE_OVER", "1", true],
    ["DOMAIN", "Plants.example.com, pflänzchen.example", ["plants.example.com", "xn--pflnzchen-x2a.example"]],
  ])("of %s may be %j", (name, value, meaning) => {
    expect(read(name, value)).toEqual(meaning);
  });

  test.each<[Name, string]>([
    ["HOST", "127.0.0.1,"],
    ["PORT", "65536"],
    ["PORT", "80.5"],
    ["PORT", "8e1"],
    ["PORT", "8 0"],
    ["LOG_LEVEL", "loud"],
    ["BASE_URL", "ftp://plants.example"],
    ["TRUSTED_PROXIES", "10.0.0.0/33"],
    ["SIGNUP", "everyone"],
    ["RATE_LIMIT", "0"],
    ["RATE_LIMIT", "1.5"],
    ["RATE_LIMIT", "0x10"],
    ["BACKUP_TO", "s3://"],
    ["BACKUP_TO", "s3:/bucket/prefix"],
    ["BACKUP_EVERY", "24"],
    ["BACKUP_EVERY", "0h"],
    ["BACKUP_KEEP", "7d:24h"],
    ["BACKUP_TO", "ftp://backups.example/plants"],
    ["BASE_URL", "https://plants.example/store"],
    ["S3_ENDPOINT", "store.example"],
    ["EVENTS_KEPT", "-1d"],
    ["REQUEST_LOG_MB", "1e1"],
    ["TAKE_OVER", "yes"],
    ["METRICS", "9464"],
    ["METRICS", "127.0.0.1:65536"],
    ["METRICS", "::1:9464"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "=x"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a=%E0%A4%A"],
    ["OTEL_TRACES_SAMPLER_ARG", "1.01"],
    ["OTEL_TRACES_SAMPLER_ARG", "0x1"],
    ["TLS_KEY_FILE", "-----BEGIN CERTIFICATE-----\nMIIB"],
    ["DOMAIN", "https://plants.example.com"],
    ["DOMAIN", "*.example.com"],
    ["DOMAIN", "192.0.2.1"],
    ["DOMAIN", "plants.example.com,"],
    ["DOMAIN", "plants.example.com:443"],
    ["MAIL_FROM", "plants"],
    ["MAIL_FROM", "Plants <plants>"],
    ["HTTP_PORT", "-1"],
    ["RATE_LIMIT", "9".repeat(400)],
  ])("of %s may not be %j: the message names both, and what would be right", (name, value) => {
    const { mustBe, isSecret } = SETTINGS[name];
    const shown = isSecret ? "something else" : JSON.stringify(value);
    expect(problem({ [name]: value })).toBe(`${name} must be ${mustBe}, and is ${shown}`);
  });

  test.each<[Name, string]>([
    ["SECRET", "too short to be safe"],
    ["METRICS_TOKEN", "too short"],
    ["SMTP_URL", "smtp://user:hunter2secret/x@mail.example:587"],
    ["BASE_URL", "user:hunter2secret@plants.example"],
    ["DATABASE_URL", "mysql://user:hunter2secret@db/plants"],
    ["DATABASE_URL", "postgres:/db/plants?password=hunter2secret"],
    ["DATABASE_URL", "sqlite::memory:"],
    ["DATABASE_URL", "sqlite: "],
    ["DATABASE_URL", "postgres://user:hunter2secret@db:65536/plants"],
    ["DATABASE_URL", "postgres://user:hunter2/secret@db/plants"],
    ["BACKUP_RECIPIENTS", "ssh-ed25519 hunter2"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "hunter2secret"],
  ])("of %s that is wrong is not repeated where it may hold a secret", (name, value) => {
    const message = problem({ [name]: value });
    expect(message).toStartWith(`${name} must be `);
    expect(message).not.toMatch(/hunter2|too short/);
  });

  test("of SECRET is known with the line break of its file too, by which earlier releases have sealed", () => {
    const SECRET = "a secret of at least thirty-two characters";
    expect(readSettings({ SECRET: `${SECRET}\n` })).toMatchObject({ SECRET, SECRET_UNTRIMMED: `${SECRET}\n` });
    expect(readSettings({ SECRET }).SECRET_UNTRIMMED).toBeUndefined();
  });

  test.each(['"8080"', "'8080'", ' "8080"\n'])("of PORT may have no quotes around it: %s", (value) => {
    expect(problem({ PORT: value })).toBe(
      "PORT has quotes around its value, which would count as a part of it: leave them out",
    );
  });

  test.each<[Name, string]>([
    ["DATABASE_URL", "postgres://plants:12#hunter2@db"],
    ["DATABASE_URL", "postgres://plants:12/hunter2@db"],
    ["DATABASE_URL", "postgres://plants@db/plants#hunter2"],
    ["DATABASE_URL", "postgres://plants:12?hunter2@db/plants"],
    ["DATABASE_URL", "postgres://plants:12@hunter2@db/plants"],
    ["DATABASE_URL", "postgres://plants:hunter2/a@b@db/plants"],
    ["DATABASE_URL", "postgres://plants:hunter2%@db/plants"],
    ["DATABASE_URL", "postgres://plants:hunter2%FF@db/plants"],
    ["SMTP_URL", "smtp://user:12#hunter2@mail.example:587"],
    ["SMTP_URL", "smtp://user:hunter2%zz@mail.example"],
    ["WEBHOOK_PROXY", "http://user:1@hunter2@proxy.example"],
  ])("of %s must have its password percent-encoded, and the message says how, without it: %s", (name, value) => {
    const message = problem({ [name]: value, BASE_URL: "https://plants.example" });
    expect(message).toStartWith(`${name} must be an address whose password is percent-encoded: # as %23, `);
    expect(message).not.toContain("hunter2");
  });

  test.each([",", `${RECIPIENT},`, `,${RECIPIENT}`])("of BACKUP_RECIPIENTS may have no empty item: %j", (value) => {
    expect(problem({ BACKUP_RECIPIENTS: value })).toStartWith("BACKUP_RECIPIENTS must be age public keys");
  });
});

test("mail needs the public address, since the links in it lead there and to no other", () => {
  const without = problem({ SMTP_URL: "smtp://user:hunter2@mail.example" });
  expect(without).toStartWith("BASE_URL must be set where SMTP_URL is");
  expect(without).not.toContain("hunter2");
  expect(problem({ SMTP_URL: "smtp://mail.example", BASE_URL: "https://plants.example" })).toBeUndefined();
});

describe("the identity provider", () => {
  const PROVIDER = {
    BASE_URL: "https://plants.example",
    OIDC_ISSUER: "https://login.example/",
    OIDC_CLIENT_ID: "plants",
  };

  test("is taken as it writes its issuer, over https, or over http on this machine", () => {
    expect(readSettings(PROVIDER).OIDC_ISSUER).toBe("https://login.example/");
    for (const issuer of ["http://localhost:8080/realms/x", "http://127.0.0.1:1", "http://[::1]:1"]) {
      expect(readSettings({ ...PROVIDER, OIDC_ISSUER: issuer }).OIDC_ISSUER).toBe(issuer);
    }
    const others = ["http://login.example", "login.example", "https://a:b@login.example", "https://login.example/?x=1"];
    for (const issuer of others) {
      expect(problem({ ...PROVIDER, OIDC_ISSUER: issuer })).toStartWith("OIDC_ISSUER must be an https address");
    }
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    ["BASE_URL must be set where OIDC_ISSUER is", { ...PROVIDER, BASE_URL: "" }],
    ["OIDC_CLIENT_ID must be set where OIDC_ISSUER is", { ...PROVIDER, OIDC_CLIENT_ID: "" }],
    ["OIDC_ISSUER must be set where OIDC_ONLY is", { OIDC_ONLY: "on" }],
    ["OIDC_ISSUER must be set where OIDC_CLIENT_SECRET is", { OIDC_CLIENT_SECRET: "hunter2" }],
  ])("is refused where it cannot be: %s", (sentence, settings) => {
    expect(problem(settings)).toStartWith(sentence);
    expect(problem(settings)).not.toContain("hunter2");
  });
});

describe("HTTPS by the service itself", () => {
  const DOMAIN = "plants.example.com,www.example.com";

  test("has the ports and addresses of the internet, and the first name as its public address", () => {
    const { HOST, PORT, BASE_URL } = readSettings({ DOMAIN });
    expect([HOST, PORT, BASE_URL]).toEqual(["0.0.0.0,::", 443, "https://plants.example.com"]);
    expect(readSettings({ DOMAIN, PORT: "8443" }).BASE_URL).toBe("https://plants.example.com:8443");
    expect(readSettings({ DOMAIN, PORT: "8443", BASE_URL: "https://x.example" }).BASE_URL).toBe("https://x.example");
    expect(readSettings({ DOMAIN, HOST: "127.0.0.1", PORT: "0" })).toMatchObject({
      HOST: "127.0.0.1",
      BASE_URL: undefined,
    });
    const files = readSettings({ TLS_CERT_FILE: "cert.pem", TLS_KEY_FILE: "key.pem" });
    expect([files.HOST, files.PORT, files.BASE_URL]).toEqual(["0.0.0.0,::", 443, undefined]);
  });

  test("may take any free port, and serve none of plain HTTP", () => {
    const files = { TLS_CERT_FILE: "cert.pem", TLS_KEY_FILE: "key.pem" };
    expect(problem({ ...files, PORT: "0", HTTP_PORT: "0" })).toBeUndefined();
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    ["TLS_CERT_FILE and TLS_KEY_FILE must be set together", { TLS_CERT_FILE: "cert.pem" }],
    ["TLS_CERT_FILE and TLS_KEY_FILE must be set together", { TLS_KEY_FILE: "key.pem" }],
    ["set only one", { DOMAIN, TLS_CERT_FILE: "cert.pem", TLS_KEY_FILE: "key.pem" }],
    [
      "BASE_URL must begin with https: where DOMAIN or TLS_CERT_FILE",
      { DOMAIN, BASE_URL: "http://plants.example.com" },
    ],
    [
      "BASE_URL must begin with https: where DOMAIN or TLS_CERT_FILE",
      { TLS_CERT_FILE: "cert.pem", TLS_KEY_FILE: "key.pem", BASE_URL: "http://plants.example.com" },
    ],
    ["HTTP_PORT must not be 0 where DOMAIN is set", { DOMAIN, HTTP_PORT: "0" }],
    ["HTTP_PORT must be another port than PORT, and is 443 too", { DOMAIN, HTTP_PORT: "443" }],
    ["DOMAIN is for one server over SQLite", { DOMAIN, DATABASE_URL: "postgres://db/plants" }],
  ])("is refused where it cannot be: %s", (sentence, settings) => {
    expect(problem(settings)).toContain(sentence);
  });
});
