import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Certificate } from "#certificates/certificate.ts";
import { CertificateFiles } from "#certificates/certificate-files.ts";
import { CertificateFolder } from "#certificates/certificate-folder.ts";
import { renewalJob } from "#certificates/renewal-job.ts";
import type { Job } from "#core/job.ts";
import type { Observer } from "#core/observer.ts";
import type { SummingLog } from "#observability/log.ts";
import type { Storage } from "#storage/storage.ts";
import { hostsOf, InvalidSetting, type Settings, sqlitePath } from "../settings.ts";
import { Listeners } from "./listeners.ts";
import { answerPlainHttp } from "./plain-http.ts";

export interface HttpsParts {
  readonly log: SummingLog;
  readonly observer: Observer;
}

/**
 * The folder of fetched certificates; undefined if none are fetched. A folder whose certificate has none of our names belongs to
 * another service and is left alone.
 */
export function certificateFolder(settings: Settings): CertificateFolder | undefined {
  const path = sqlitePath(settings);
  const names: readonly string[] = settings.DOMAIN;
  const [first] = names;
  if (first === undefined || path === undefined) return undefined;
  const folder = new CertificateFolder(join(dirname(path), "certificates"));
  const found = fetchedFiles(folder).readIfThere();
  const isAnothers = found !== undefined && !names.some((name) => found.names.includes(name));
  return isAnothers ? new CertificateFolder(join(folder.path, first), found.names) : folder;
}

/** The certificate of the settings, which may not be there yet. */
export function certificateFiles(settings: Settings, folder = certificateFolder(settings)): CertificateFiles {
  if (folder) return fetchedFiles(folder);
  const { TLS_CERT_FILE: cert = "", TLS_KEY_FILE: key = "" } = settings;
  return new CertificateFiles(cert, key, ["TLS_CERT_FILE", "TLS_KEY_FILE"]);
}

function fetchedFiles({ certificate }: CertificateFolder): CertificateFiles {
  return new CertificateFiles(certificate, certificate);
}

/** HTTPS by the service itself: the certificate that is served, the listener on HTTP_PORT, and the jobs that bring new certificates. */
export class Https implements AsyncDisposable {
  #listeners: Listeners | undefined;
  readonly #plain: Listeners;
  readonly #folder: CertificateFolder | undefined;
  readonly #files: CertificateFiles;
  #certificate: Certificate | undefined;
  /** The problem that keeps new files from being used, if there is one. */
  #told = "";

  /** Throws InvalidSetting if its certificate cannot be used. */
  constructor(
    private readonly settings: Settings,
    private readonly parts: HttpsParts,
  ) {
    this.#folder = certificateFolder(settings);
    this.#files = certificateFiles(settings, this.#folder);
    try {
      this.#certificate = this.#folder ? this.#fetched(this.#folder) : this.#usable(this.#files.read());
    } catch (error) {
      throw new InvalidSetting((error as Error).message);
    }
    const { HTTP_PORT: port, TAKE_OVER: sharesPort } = settings;
    const fetch = (request: Request) =>
      answerPlainHttp(request, {
        challenge: (token) => this.#challenge(token),
        origin: () => this.#originFor(request),
      });
    this.#plain = new Listeners({ hosts: hostsOf(settings), port, sharesPort, serve: { fetch } });
    const gauge = (name: Parameters<Observer["gauge"]>[0], ms: (certificate: Certificate) => number) =>
      parts.observer.gauge(name, () => (this.#certificate ? ms(this.#certificate) / 1000 : Number.NaN));
    gauge("plantstore_certificate_left_seconds", ({ until }) => until - Date.now());
    gauge("plantstore_certificate_life_seconds", ({ from, until }) => until - from);
  }

  /** Replaced files are served within two runs. With `fetches` false none is asked for. */
  jobs(mail: Pick<Storage["mail"], "noticeFirstStore">, { fetches }: { readonly fetches: boolean }): Job[] {
    const files: Job = { name: "certificate-files", intervalMs: 1000, run: async () => this.#look() };
    const folder = this.#folder;
    if (!folder || !fetches) return [files];
    const { DOMAIN: names, ACME_DIRECTORY: directory, ACME_EMAIL: email } = this.settings;
    const renewal = renewalJob({
      ...{ names, directory, email, folder, files: this.#files, log: this.parts.log },
      async onEnding(until) {
        const what = `${names[0]} until ${new Date(until).toISOString().slice(0, 16).replace("T", " ")} UTC`;
        await mail.noticeFirstStore({ about: "certificate-ending", at: Date.now(), what });
      },
    });
    return [files, renewal];
  }

  /** Listens with the certificate, and on HTTP_PORT until this is disposed of. */
  listen(listeners: Listeners): void {
    this.#listeners = listeners;
    if (this.#certificate) this.#use(this.#certificate);
    const { HTTP_PORT: port, DOMAIN: names, ACME_DIRECTORY: directory } = this.settings;
    const { always } = this.parts.log;
    if (port > 0) this.#plain.listen();
    const terms = `certificates come from ${new URL(directory).host}, whose terms you accept by setting DOMAIN`;
    if (this.#folder) always.info({ names, directory }, terms);
    if (!this.#certificate) always.info({ port }, "waits for the first certificate; the authority asks at this port");
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#plain.stop();
  }

  /** One that cannot be read is fetched again. */
  #fetched({ certificate, beside }: CertificateFolder): Certificate | undefined {
    const { log } = this.parts;
    const folder = dirname(certificate);
    if (beside)
      log.warn(
        { names: beside, folder },
        `A certificate for none of the names of DOMAIN lies in ${dirname(folder)}: it belongs to another service, and is left alone`,
      );
    if (!existsSync(certificate)) return undefined;
    try {
      return this.#files.read();
    } catch (error) {
      log.warn({}, `Another certificate is fetched: ${(error as Error).message}`);
      return undefined;
    }
  }

  /** Throws for a certificate of one's own that has ended. A fetched one is renewed. */
  #usable(certificate: Certificate): Certificate {
    const { TLS_CERT_FILE: file } = this.settings;
    if (this.#folder || certificate.until > Date.now()) return certificate;
    throw new Error(
      `TLS_CERT_FILE ${file} has ended at ${new Date(certificate.until).toISOString()}: put a new one there`,
    );
  }

  #look(): void {
    try {
      this.#files.look((certificate) => this.#use(this.#usable(certificate)));
      this.#told = "";
    } catch (error) {
      const { message } = error as Error;
      if (message !== this.#told) this.parts.log.warn({}, `The new certificate is not used: ${message}`);
      this.#told = message;
    }
  }

  #use(certificate: Certificate): void {
    const { names, issuer, until } = certificate;
    const isFirst = this.#certificate === undefined;
    const lost = this.#listeners?.listen(certificate) ?? [];
    if (lost.length > 0) this.parts.log.warn({}, `It listens no more at ${lost}, where no socket could be opened anew`);
    this.#certificate = certificate;
    const ends = new Date(until).toISOString();
    this.parts.log.info({ names, issuer, ends }, "serves with this certificate");
    if (until < Date.now()) this.parts.log.warn({}, `The certificate has ended at ${ends}: clients refuse it`);
    if (isFirst) this.parts.log.always.info({ url: this.#listeners?.origin }, "listening");
  }

  /** The authority asks any process of the service, while two share the port. */
  #challenge(token: string): string | undefined {
    const { challenges = {} } = this.#folder?.readState() ?? {};
    return Object.hasOwn(challenges, token) ? challenges[token] : undefined;
  }

  /** The origin of BASE_URL, or else the request's own host at the HTTPS port. */
  #originFor({ url }: Request): string | undefined {
    const { BASE_URL } = this.settings;
    if (!this.#certificate) return undefined;
    if (BASE_URL !== undefined) return new URL(BASE_URL).origin;
    return URL.parse(`https://${URL.parse(url)?.hostname}:${this.#listeners?.port}`)?.origin;
  }
}
