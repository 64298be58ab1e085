import { xchacha20poly1305 } from "@noble/ciphers/chacha.js";
import { bytesToHex, hexToBytes, managedNonce, utf8ToBytes } from "@noble/ciphers/utils.js";
import { secretHash } from "#storage/tokens.ts";

/** A random byte from the system's generator. */
export function randomByte(): number {
  return crypto.getRandomValues(new Uint8Array(1))[0] ?? 0;
}

/** Random bytes from the system's generator, as base64url: 24 of them cannot be guessed. */
export function randomSecret(bytes = 24): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("base64url");
}

/** Seals text with SECRET: XChaCha20-Poly1305 under its SHA-256, with a random nonce in front, in hexadecimal. */
export function seal(secret: string, text: string): string {
  return bytesToHex(cipher(secret).encrypt(utf8ToBytes(text)));
}

/** Throws if the text was altered, or sealed with another SECRET than either. */
export function unseal(secret: string, sealed: string, former?: string): string {
  try {
    return opened(secret, sealed);
  } catch (error) {
    if (former === undefined) throw error;
    return opened(former, sealed);
  }
}

function opened(secret: string, sealed: string): string {
  return new TextDecoder().decode(cipher(secret).decrypt(hexToBytes(sealed)));
}

function cipher(secret: string) {
  return managedNonce(xchacha20poly1305)(new Uint8Array(secretHash(secret)));
}
