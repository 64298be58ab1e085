import { xchacha20poly1305 } from "@noble/ciphers/chacha.js";
import { bytesToHex, hexToBytes, managedNonce, utf8ToBytes } from "@noble/ciphers/utils.js";

/** Seals text with SECRET: XChaCha20-Poly1305 under its SHA-256, with a random nonce in front, in hexadecimal. */
export function seal(secret: string, text: string): string {
  return bytesToHex(cipher(secret).encrypt(utf8ToBytes(text)));
}

/** Throws if the text was sealed with another SECRET or altered. */
export function unseal(secret: string, sealed: string): string {
  return new TextDecoder().decode(cipher(secret).decrypt(hexToBytes(sealed)));
}

function cipher(secret: string) {
  const key = new Bun.CryptoHasher("sha256").update(secret).digest();
  return managedNonce(xchacha20poly1305)(new Uint8Array(key));
}
