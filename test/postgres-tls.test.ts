import { afterAll, expect, test } from "bun:test";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { openStorage } from "#storage/open.ts";
import { newAuthority } from "./support/certificates.ts";
import { startPostgres } from "./support/postgres-server.ts";
import { runInProcess } from "./support/run-in-process.ts";
import { ROOT, startService, temporaryFolder } from "./support/service.ts";
import { describeUnless, missingLocalhost } from "./support/skipped.ts";

const NOBODY = "65534:65534";

/** A server with the TLS settings and the host rules of deploy/patroni.yml. */
const folder = temporaryFolder();
const local = (text: string) =>
  text.replaceAll("/etc/plantstore", folder).replace(/<network of the [a-z ]+>/g, "127.0.0.1/32");
const { bootstrap, postgresql } = parse(local(readFileSync(join(ROOT, "deploy/patroni.yml"), "utf8")));
const { ssl, ssl_cert_file, ssl_key_file } = bootstrap.dcs.postgresql.parameters;
const [authority, stranger] = [await newAuthority(), await newAuthority()];
const { cert, key } = await authority.issue("localhost");
writeFileSync(join(folder, "ca.crt"), authority.cert);
writeFileSync(join(folder, "other.crt"), stranger.cert);
writeFileSync(ssl_cert_file, cert);
writeFileSync(ssl_key_file, key, { mode: 0o600 });
writeFileSync(join(folder, "hba"), postgresql.pg_hba.join("\n"));
chmodSync(folder, 0o755);
if (userInfo().uid === 0) Bun.spawnSync(["chown", "-R", NOBODY, folder]);
const server = await startPostgres({ settings: { ssl, ssl_cert_file, ssl_key_file, hba_file: join(folder, "hba") } });
afterAll(() => server.stop());

function url(host: string, options: string): string {
  return `postgres://plantstore:secret@${host}:${server.port}/postgres${options}`;
}

const verified = (authority = "ca.crt") => `?sslmode=verify-full&sslrootcert=${join(folder, authority)}`;

describeUnless(await missingLocalhost(), "PostgreSQL as in deploy/, over TLS", () => {
  test("serves a service that knows its authority and calls it by its name", async () => {
    const service = await startService({ settings: { DATABASE_URL: url("localhost", verified()) } });
    const plant = { as: await service.token(), body: { id: 1, name: "Fern" } };
    expect((await service.send("POST", "/v1/plants", plant)).status).toBe(200);
    await service.stop();
  });

  test.each([
    ["without TLS", "localhost", () => "", /no pg_hba\.conf entry .* no encryption/],
    ["with another authority", "localhost", () => verified("other.crt"), /certificate|self.signed|issuer/i],
    ["by a name that is not the certificate's", "127.0.0.1", () => verified(), /127\.0\.0\.1|altname|hostname/i],
  ])("refuses, or is refused, %s", async (_, host, options, reason) => {
    const problem = await openStorage(url(host, options())).catch((error: Error) => error);
    expect(String(problem)).toMatch(reason);
    expect(String(problem)).not.toContain("secret");
  });

  test("says nothing of a mode that verifies by another name", async () => {
    const { code, problem } = await runInProcess(["account", "list", "--json"], {
      DATABASE_URL: url("localhost", verified().replace("verify-full", "require")),
    });
    expect([code, problem]).toEqual([0, ""]);
  });
});
