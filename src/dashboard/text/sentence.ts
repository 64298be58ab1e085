export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Makes a sentence of a message of the API, which ends without a full stop. */
export function sentence(message: string): string {
  return capitalized(/[.!?]$/.test(message) ? message : `${message}.`);
}

const EXCERPT_LENGTH = 1000;

/** The beginning of a text for one line: a name may have a million characters. */
export function excerpt(text: string): string {
  return text.length > EXCERPT_LENGTH ? `${text.slice(0, EXCERPT_LENGTH)}…` : text;
}
