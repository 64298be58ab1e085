export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Makes a sentence of a message of the API, which ends without a full stop. */
export function sentence(message: string): string {
  return capitalized(/[.!?]$/.test(message) ? message : `${message}.`);
}
