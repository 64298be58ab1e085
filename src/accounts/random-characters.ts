const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Random letters and digits from the system's generator, each equally likely (5.95 bits a character). */
export function randomCharacters(length: number): string {
  let text = "";
  while (text.length < length) {
    const [byte = 0] = crypto.getRandomValues(new Uint8Array(1));
    if (byte < 4 * ALPHABET.length) text += ALPHABET[byte % ALPHABET.length];
  }
  return text;
}
