const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Letters and digits from the system's randomness, each equally likely (5.95 bits a character). */
export function randomCharacters(length: number): string {
  let text = "";
  while (text.length < length) {
    const [byte = 0] = crypto.getRandomValues(new Uint8Array(1));
    if (byte < 4 * ALPHABET.length) text += ALPHABET[byte % ALPHABET.length];
  }
  return text;
}
