import { expect } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { CertificateFiles } from "#certificates/certificate-files.ts";
import { CertificateFolder } from "#certificates/certificate-folder.ts";
import { renewalJob } from "#certificates/renewal-job.ts";
import { AcmeAuthority, type Troubles } from "./acme-authority.ts";
import { temporaryFolder } from "./service.ts";

const NAMES = ["plants.localhost", "www.plants.localhost"];

/** The renewal job of one service over a folder, with an authority that asks it. */
export class Renewal {
  readonly warnings: string[] = [];
  readonly infos: string[] = [];
  endings = 0;
  readonly #stop = new AbortController();

  private constructor(
    readonly authority: AcmeAuthority,
    private readonly challenged: Bun.Server<undefined>,
    readonly path = join(temporaryFolder(), "certificates"),
  ) {}

  static async open(troubles: Troubles = {}): Promise<Renewal> {
    const tokens = new Map<string, string>();
    const fetch = (request: Request) =>
      new Response(tokens.get(new URL(request.url).pathname.replace("/.well-known/acme-challenge/", "")));
    const challenged = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
    const authority = await AcmeAuthority.start(challenged.port ?? 0);
    Object.assign(authority.troubles, troubles);
    const renewal = new Renewal(authority, challenged);
    tokens.get = (token) => renewal.state().challenges?.[token];
    return renewal;
  }

  /** One run, as of a service that has just started. */
  async run(): Promise<number | undefined> {
    const folder = new CertificateFolder(this.path);
    const into = (messages: string[]) => (_: object, message: string) => void messages.push(message);
    const [warn, info] = [into(this.warnings), into(this.infos)];
    const log = { error: warn, warn, info, debug() {}, debugEnabled: false };
    const { certificate } = folder;
    const job = renewalJob({
      ...{ names: NAMES, directory: this.authority.directory, email: undefined, folder, log },
      files: new CertificateFiles(certificate, certificate),
      onEnding: async () => void this.endings++,
    });
    return (await job.run({ now: Date.now(), signal: this.#stop.signal })) ?? undefined;
  }

  stop(): void {
    this.#stop.abort();
  }

  state() {
    return new CertificateFolder(this.path).readState();
  }

  /** Of the certificate that was fetched. */
  names(): readonly string[] {
    const { certificate } = new CertificateFolder(this.path);
    return new CertificateFiles(certificate, certificate).read().names;
  }

  files(): string[] {
    return existsSync(this.path) ? readdirSync(this.path).sort() : [];
  }

  async close(): Promise<void> {
    await Promise.all([this.authority.stop(), this.challenged.stop(true)]);
  }
}

export function expectOneFailure(renewal: Renewal, sentence: string): void {
  expect(renewal.warnings).toEqual([expect.stringMatching(/^No new certificate: .*; the next attempt is at /)]);
  expect(renewal.warnings[0]).toContain(sentence);
  const { nextAt, lastAt = 0 } = renewal.state();
  expect(nextAt - lastAt).toBeGreaterThanOrEqual(60_000);
  expect(renewal.files()).not.toContain("certificate.pem");
}
