import type { Certificate } from "#certificates/certificate.ts";
import { CertificateFiles } from "#certificates/certificate-files.ts";
import type { Job } from "#core/job.ts";
import type { Observer } from "#core/observer.ts";
import type { SummingLog } from "#observability/log.ts";
import { Listeners } from "./listeners.ts";
import { answerPlainHttp } from "./plain-http.ts";
import { hostsOf, InvalidSetting, type Settings } from "./settings.ts";

export interface HttpsParts {
  readonly log: SummingLog;
  readonly observer: Observer;
}

/** HTTPS by the service itself. Throws InvalidSetting if its certificate cannot be used. */
export function openHttps(settings: Settings, parts: HttpsParts): Https {
  const { TLS_CERT_FILE: cert = "", TLS_KEY_FILE: key = "" } = settings;
  return new Https(settings, parts, new CertificateFiles(cert, key));
}

/** The certificate that is served, the listener on HTTP_PORT, and the job that sees a new certificate. */
export class Https implements AsyncDisposable {
  #listeners: Listeners | undefined;
  readonly #plain: Listeners;
  #certificate: Certificate | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly parts: HttpsParts,
    private readonly files: CertificateFiles,
  ) {
    try {
      this.#certificate = files.read();
    } catch (error) {
      throw new InvalidSetting(`TLS_CERT_FILE ${(error as Error).message}`);
    }
    const { HTTP_PORT: port, TAKE_OVER: sharesPort } = settings;
    const fetch = (request: Request) =>
      answerPlainHttp(request, { challenge: () => undefined, origin: () => this.#originFor(request) });
    this.#plain = new Listeners({ hosts: hostsOf(settings), port, sharesPort, serve: { fetch } });
    const seconds = (ms: (certificate: Certificate) => number) => () =>
      this.#certificate ? ms(this.#certificate) / 1000 : Number.NaN;
    const { observer } = parts;
    observer.gauge(
      "plantstore_certificate_left_seconds",
      seconds(({ until }) => until - Date.now()),
    );
    observer.gauge(
      "plantstore_certificate_life_seconds",
      seconds(({ from, until }) => until - from),
    );
  }

  /** Replaced files are served within two runs. */
  get jobs(): Job[] {
    return [{ name: "certificate-files", intervalMs: 2000, run: async () => this.#look() }];
  }

  /** Listens with the certificate, and on HTTP_PORT until this is disposed of. */
  listen(listeners: Listeners): void {
    this.#listeners = listeners;
    if (this.#certificate) this.#use(this.#certificate);
    if (this.settings.HTTP_PORT > 0) this.#plain.listen();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#plain.stop();
  }

  #look(): void {
    try {
      const changed = this.files.changed();
      if (changed) this.#use(changed);
    } catch (error) {
      this.parts.log.warn({}, `The new certificate is not used: ${(error as Error).message}`);
    }
  }

  #use(certificate: Certificate): void {
    const { names, issuer, until } = certificate;
    this.#listeners?.listen(certificate);
    this.#certificate = certificate;
    const ends = new Date(until).toISOString();
    this.parts.log.info({ names, issuer, ends }, "serves with this certificate");
    if (until < Date.now()) this.parts.log.warn({}, `The certificate has ended at ${ends}: clients refuse it`);
  }

  /** Without a public address that of the request, at the port of HTTPS. */
  #originFor({ url }: Request): string | undefined {
    const { BASE_URL } = this.settings;
    if (!this.#certificate) return undefined;
    if (BASE_URL !== undefined) return new URL(BASE_URL).origin;
    return URL.parse(`https://${URL.parse(url)?.hostname}:${this.#listeners?.port}`)?.origin;
  }
}
