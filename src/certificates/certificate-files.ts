import { readFileSync, statSync } from "node:fs";
import { type Certificate, readCertificate } from "./certificate.ts";

/**
 * A certificate and its key on disk, in two files or in one. They may be replaced at any time, one after the other: a pair
 * counts when both files are as they were at the last look, and fit together.
 */
export class CertificateFiles {
  #used: string;
  #seen = "";

  constructor(
    private readonly cert: string,
    private readonly key: string,
  ) {
    this.#used = this.#state();
  }

  /** Throws an error of one sentence. */
  read(): Certificate {
    try {
      return readCertificate(readFileSync(this.cert, "utf8"), readFileSync(this.key, "utf8"));
    } catch (error) {
      const files = this.cert === this.key ? this.cert : `${this.cert} with the key in ${this.key}`;
      const { code, message } = error as NodeJS.ErrnoException;
      throw new Error(`${files} ${code === undefined ? message : `cannot be read (${code})`}`, { cause: error });
    }
  }

  /** Undefined for files that are not there, or no pair. */
  readIfThere(): Certificate | undefined {
    try {
      return this.read();
    } catch {
      return undefined;
    }
  }

  /** Hands a pair that has replaced the one before to `use`; at the next look again if it cannot be read or used. */
  look(use: (certificate: Certificate) => void): void {
    const state = this.#state();
    const isStill = state === this.#seen;
    this.#seen = state;
    if (!isStill || state === this.#used) return;
    use(this.read());
    this.#used = state;
  }

  #state(): string {
    const states = [this.cert, this.key].map((path) => {
      const { ino, size, mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {};
      return `${ino} ${size} ${mtimeMs}`;
    });
    return states.join();
  }
}
