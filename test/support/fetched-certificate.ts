import { expect } from "bun:test";
import { AcmeAuthority } from "./acme-authority.ts";
import { freePort } from "./free-port.ts";
import { startProgram } from "./program.ts";

const NAME = "plants.localhost";

/** Expects that the program fetches a certificate for DOMAIN by itself, and serves with it. */
export async function expectCertificateFetched(command: readonly string[], folder: string): Promise<void> {
  const HTTP_PORT = String(freePort());
  const authority = await AcmeAuthority.start(Number(HTTP_PORT));
  const settings = { DOMAIN: NAME, ACME_DIRECTORY: authority.directory, HOST: "127.0.0.1", HTTP_PORT };
  const running = await startProgram(command, folder, settings, { ca: authority.cert, serverName: NAME });
  expect(authority.orders).toEqual([[NAME]]);
  expect(await running.stop()).toBe(0);
  await authority.stop();
}
