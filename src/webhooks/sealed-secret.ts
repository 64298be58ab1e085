import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import type { StoredEndpoint } from "#storage/webhook-leases.ts";

const ALGORITHM = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

export interface OpenedSecret {
  readonly secret: string;
  /** Milliseconds since 1970; undefined for the newest secret. */
  readonly expiresAt: number | undefined;
}

/**
 * Seals the secrets of endpoints for the database (AES-256-GCM; the key by HKDF from SECRET). If SECRET is stored in
 * the same database, this protects only copies of single tables.
 */
export class SecretSealer {
  readonly #key: Uint8Array;
  readonly #former: Uint8Array | undefined;

  /** `former` is another SECRET, by which secrets may be sealed. */
  constructor(secret: string, former?: string) {
    this.#key = keyOf(secret);
    this.#former = former === undefined ? undefined : keyOf(former);
  }

  /** A sealed secret is bound to `endpoint`, and cannot be opened for another one. */
  seal(secret: string, endpoint: string): string {
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
    const cipher = createCipheriv(ALGORITHM, this.#key, iv).setAAD(Buffer.from(endpoint));
    return Buffer.concat([iv, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]).toString("base64");
  }

  /** Throws if it was sealed with another key or for another endpoint. */
  open(sealed: string, endpoint: string): string {
    try {
      return this.#open(this.#key, sealed, endpoint);
    } catch (error) {
      if (this.#former === undefined) throw error;
      return this.#open(this.#former, sealed, endpoint);
    }
  }

  #open(key: Uint8Array, sealed: string, endpoint: string): string {
    const bytes = Buffer.from(sealed, "base64");
    const iv = bytes.subarray(0, IV_BYTES);
    const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(endpoint)).setAuthTag(bytes.subarray(-TAG_BYTES));
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

function keyOf(secret: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "", "plantstore webhook secrets", 32));
}
