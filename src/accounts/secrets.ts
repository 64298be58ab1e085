import { xchacha20poly1305 } from "@noble/ciphers/chacha.js";
import { hexToBytes, managedNonce } from "@noble/ciphers/utils.js";
import { secretHash } from "#storage/tokens.ts";

/** A random byte from the system's generator. */
export function randomByte(): number {
  return crypto.getRandomValues(new Uint8Array(1))[0] ?? 0;
}

/** Random bytes from the system's generator, as base64url: 24 of them cannot be guessed. */
export function randomSecret(bytes = 24): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("base64url");
}

/** True for a text that was sealed before 1.0.0: in hexadecimal, where all later ones are in base64. */
export function isSealedBefore(sealed: string): boolean {
  return /^(?:[0-9a-f]{2})+$/.test(sealed);
}

/**
 * Opens what was sealed before 1.0.0: XChaCha20-Poly1305 under the SHA-256 of SECRET, with the nonce in front. Throws if it was
 * altered, or sealed with another SECRET than either.
 */
export function openSealedBefore(secret: string, sealed: string, former?: string): string {
  const cipher = managedNonce(xchacha20poly1305)(new Uint8Array(secretHash(secret)));
  try {
    return new TextDecoder().decode(cipher.decrypt(hexToBytes(sealed)));
  } catch (error) {
    if (former === undefined) throw error;
    return openSealedBefore(former, sealed);
  }
}
