export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Makes a sentence of a message of the API, which ends without a full stop. */
export function sentence(message: string): string {
  return capitalized(/[.!?]$/.test(message) ? message : `${message}.`);
}

/** The beginning of a text for one line: a name may have a million characters. */
export function excerpt(text: string): string {
  return text.length > 1000 ? `${text.slice(0, 1000)}…` : text;
}
