import { readFileSync, statSync } from "node:fs";
import { type Certificate, CertificateProblem, readCertificate } from "./certificate.ts";

/**
 * A certificate and its key on disk, in two files or in one. They may be replaced at any time, one after the other: a pair
 * counts when both files are as they were at the last look, and fit together.
 */
export class CertificateFiles {
  #used: string;
  #seen = "";

  /** `settings` name the files in messages, if they do not lie in the folder of fetched ones. */
  constructor(
    private readonly cert: string,
    private readonly key: string,
    private readonly settings: readonly [cert: string, key: string] | undefined = undefined,
  ) {
    this.#used = this.#state();
  }

  /** Throws an error of one sentence. */
  read(): Certificate {
    try {
      return readCertificate(readFileSync(this.cert, "utf8"), readFileSync(this.key, "utf8"));
    } catch (error) {
      const [cert, key] = [this.cert, this.key].map((path, at) => `${this.settings?.[at] ?? ""} ${path}`.trim());
      if (!(error instanceof CertificateProblem)) {
        const { code, message, path } = error as NodeJS.ErrnoException;
        throw new Error(`${path === this.key ? key : cert} cannot be read (${code ?? message})`, { cause: error });
      }
      const { file, message, remedy } = error;
      const todo = this.settings && remedy !== "" ? `: ${remedy}` : "";
      throw new Error(`${file === "key" ? key : cert} ${message}${todo}`, { cause: error });
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
