import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import type { StoredEndpoint } from "./webhook-leases.ts";

const ALGORITHM = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

export interface OpenedSecret {
  readonly secret: string;
  /** Milliseconds since 1970; undefined for the newest secret. */
  readonly expiresAt: number | undefined;
}

/**
 * Seals secrets for the database (AES-256-GCM; a key for each kind by HKDF from SECRET). If SECRET is stored in the same
 * database, this protects only copies of single tables.
 */
export class SecretSealer {
  readonly #key: Uint8Array;
  readonly #former: Uint8Array | undefined;

  /** `former` is another SECRET, by which secrets may be sealed. */
  constructor(secret: string, kind: Kind, former?: string) {
    this.#key = keyOf(secret, kind);
    this.#former = former === undefined ? undefined : keyOf(former, kind);
  }

  /** A sealed secret is bound to its holder, such as an endpoint, and cannot be opened for another one. */
  seal(secret: string, holder: string): string {
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
    const cipher = createCipheriv(ALGORITHM, this.#key, iv).setAAD(Buffer.from(holder));
    return Buffer.concat([iv, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]).toString("base64");
  }

  /** Throws if it was sealed with another key or for another holder. */
  open(sealed: string, holder: string): string {
    try {
      return this.#open(this.#key, sealed, holder);
    } catch (error) {
      if (this.#former === undefined) throw error;
      return this.#open(this.#former, sealed, holder);
    }
  }

  #open(key: Uint8Array, sealed: string, holder: string): string {
    const bytes = Buffer.from(sealed, "base64");
    const iv = bytes.subarray(0, IV_BYTES);
    const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(holder)).setAuthTag(bytes.subarray(-TAG_BYTES));
    return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
  }

  /**
   * Opens all secrets of an endpoint. Throws if the one without an end cannot be opened; one that was replaced since is
   * left out then, so that a roll is enough after SECRET was changed.
   */
  openAll(sealed: StoredEndpoint["sealedSecrets"], endpoint: string): OpenedSecret[] {
    return sealed.flatMap(({ sealed, expiresAt }) => {
      try {
        return [{ secret: this.open(sealed, endpoint), expiresAt }];
      } catch (error) {
        if (expiresAt === undefined) throw error;
        return [];
      }
    });
  }
}

type Kind = "webhook secrets" | "second factors";

function keyOf(secret: string, kind: Kind): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "", `plantstore ${kind}`, 32));
}
