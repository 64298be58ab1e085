import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { SMTPServer } from "smtp-server";
import { missingLocalhost, testUnless } from "#test/support/skipped.ts";
import { smtpTransport } from "./transport.ts";

const MESSAGE = { subject: "Verify your e-mail address", paragraphs: ["Open the link."] };

let passwords: unknown[];
let port: number;
let server: SMTPServer;
beforeAll(async () => {
  server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth: ({ password }, _session, done) => {
      passwords.push(password);
      done(null, { user: "plants" });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.server.address();
  port = typeof address === "object" ? (address?.port ?? 0) : 0;
});
beforeEach(() => {
  passwords = [];
});
afterAll(() => new Promise<void>((resolve) => server.close(resolve)));

const send = (url: string) =>
  smtpTransport(url, "plants@plants.example").send("ada@example.test", MESSAGE, new AbortController().signal);

for (const host of ["127.0.0.1", "localhost"]) {
  const reason = host === "localhost" ? await missingLocalhost() : undefined;
  testUnless(reason, `a password is sent in the clear to a server on this machine, at ${host}`, async () => {
    await send(`smtp://plants:hunter22@${host}:${port}`);
    expect(passwords).toEqual(["hunter22"]);
  });
}

// This address reaches the loopback, and is none of it.
test.each(["", "?ignoreTLS=true", "?requireTLS=false&opportunisticTLS=true"])(
  "no password is sent to another server without STARTTLS, whatever its address asks for: %j",
  async (query) => {
    const sending = send(`smtp://plants:hunter22@0.0.0.0:${port}/${query}`);
    const problem = String(await sending.catch((error: unknown) => error));
    expect(problem).toMatch(/did not begin TLS .* set SMTP_URL to a server with STARTTLS or to smtps:\/\//);
    expect([passwords, problem.includes("hunter22")]).toEqual([[], false]);
  },
);
