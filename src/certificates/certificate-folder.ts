import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "#files/replace-file.ts";
import { readCertificate } from "./certificate.ts";
import type { RenewalAdvice } from "./renewal-info.ts";

/** The state of the renewal, which outlasts the process. Times are in milliseconds since 1970. */
export interface RenewalState {
  /** The authority that gave the certificate. */
  readonly directory?: string;
  /** Attempts since the last certificate. One that is under way counts, so that it does if the process is killed. */
  readonly failures: number;
  readonly lastAt?: number;
  /** No attempt begins before. */
  readonly nextAt: number;
  /** The reason why the last attempt failed. */
  readonly problem?: string;
  /** The answers to the authority's challenges, by their tokens. */
  readonly challenges?: Readonly<Record<string, string>>;
  readonly advice?: RenewalAdvice;
  /** The authority is not asked before when it wants a certificate renewed. */
  readonly askAt?: number;
  /** The end of the certificate whose end was announced by mail. */
  readonly announced?: number;
}

/** The folder beside the database with the certificate, the account's key and the state. Each file is written whole or not at all. */
export class CertificateFolder {
  /** The key, then the certificate with its chain, in PEM format: one file, so that they always fit together. */
  readonly certificate: string;
  /** The state while a full disk does not take it. */
  #unwritten: RenewalState | undefined;

  /** `beside` are the names of another service's certificate, which lies in the folder above. */
  constructor(
    readonly path: string,
    readonly beside?: readonly string[],
  ) {
    this.certificate = join(path, "certificate.pem");
  }

  readState(): RenewalState {
    if (this.#unwritten) return this.#unwritten;
    try {
      return { failures: 0, nextAt: 0, ...JSON.parse(readFileSync(join(this.path, "state.json"), "utf8")) };
    } catch {
      return { failures: 0, nextAt: 0 };
    }
  }

  writeState(state: RenewalState): void {
    this.#write("state.json", JSON.stringify(state));
    this.#unwritten = undefined;
  }

  /** Keeps it in memory if it cannot be written. */
  keepState(state: RenewalState): void {
    try {
      this.writeState(state);
    } catch {
      this.#unwritten = state;
    }
  }

  /** Throws CertificateProblem, before it replaces anything, unless the file as a whole can be served. */
  writeCertificate(key: string, chain: string): void {
    const text = `${key}${chain}`;
    readCertificate(text, text);
    this.#write("certificate.pem", text);
  }

  /** The account's key, made by `make` if there is none. */
  async accountKey(make: () => Promise<string>): Promise<string> {
    const file = join(this.path, "account.pem");
    if (!existsSync(file)) this.#write("account.pem", await make());
    return readFileSync(file, "utf8");
  }

  /** Makes a folder anew that somebody has removed. */
  #write(name: string, text: string): void {
    mkdirSync(this.path, { recursive: true, mode: 0o700 });
    replaceFile(join(this.path, name), text);
  }
}
