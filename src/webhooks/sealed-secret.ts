const IV_BYTES = 12;
const ALGORITHM = "AES-GCM";

interface SealedSecret {
  readonly sealed: string;
  /** Milliseconds since 1970; undefined for the newest secret. */
  readonly expiresAt: number | undefined;
}

export interface OpenedSecret {
  readonly secret: string;
  readonly expiresAt: number | undefined;
}

/**
 * Seals the secrets of endpoints for the database (AES-256-GCM; the key by HKDF from SECRET). If SECRET is stored in
 * the same database, this protects only copies of single tables.
 */
export class SecretSealer {
  readonly #key: Promise<CryptoKey>;

  constructor(secret: string) {
    this.#key = derivedKey(secret);
  }

  /** A sealed secret is bound to `endpoint`, and cannot be opened for another one. */
  async seal(secret: string, endpoint: string): Promise<string> {
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
    const sealed = await crypto.subtle.encrypt(parameters(iv, endpoint), await this.#key, Buffer.from(secret));
    return Buffer.concat([iv, new Uint8Array(sealed)]).toString("base64");
  }

  /** Throws if it was sealed with another key or for another endpoint. */
  async open(sealed: string, endpoint: string): Promise<string> {
    const bytes = new Uint8Array(Buffer.from(sealed, "base64"));
    const iv = bytes.slice(0, IV_BYTES);
    const opened = await crypto.subtle.decrypt(parameters(iv, endpoint), await this.#key, bytes.slice(IV_BYTES));
    return Buffer.from(opened).toString();
  }

  /**
   * Opens all secrets of an endpoint. Throws if the one without an end cannot be opened; one that was replaced since is
   * left out then, so that a roll is enough after SECRET was changed.
   */
  async openAll(sealed: readonly SealedSecret[], endpoint: string): Promise<OpenedSecret[]> {
    const opened = sealed.map(async ({ sealed, expiresAt }) => {
      try {
        return { secret: await this.open(sealed, endpoint), expiresAt };
      } catch (error) {
        if (expiresAt === undefined) throw error;
        return undefined;
      }
    });
    return (await Promise.all(opened)).filter((each) => each !== undefined);
  }
}

function parameters(iv: Uint8Array<ArrayBuffer>, endpoint: string) {
  return { name: ALGORITHM, iv, additionalData: new Uint8Array(Buffer.from(endpoint)) };
}

async function derivedKey(secret: string): Promise<CryptoKey> {
  const given = await crypto.subtle.importKey("raw", new Uint8Array(Buffer.from(secret)), "HKDF", false, ["deriveKey"]);
  const info = new Uint8Array(Buffer.from("plantstore webhook secrets"));
  return crypto.subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info },
    given,
    { name: ALGORITHM, length: 256 },
    false,
    ["encrypt", "decrypt"],
  );
}
