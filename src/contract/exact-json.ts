/**
 * JSON.parse, but each number is given as the string of its own digits, as a double would round it
 * (RFC 8259, 6: "good interoperability" ends at 2^53). Which strings were numbers must be known from a plain parse.
 * The text must be valid JSON; what JSON.parse makes of a repeated member or of `__proto__` stays the same.
 */
export function parseWithNumbersAsDigits(validJson: string): unknown {
  return JSON.parse(quoteNumbers(validJson));
}

function quoteNumbers(json: string): string {
  let quoted = "";
  let copied = 0;
  let at = 0;
  while (at < json.length) {
    const unit = json.charCodeAt(at);
    if (unit === QUOTE) {
      at = endOfString(json, at);
    } else if (startsNumber(unit)) {
      const end = endOfNumber(json, at);
      quoted += `${json.slice(copied, at)}"${json.slice(at, end)}"`;
      copied = at = end;
    } else {
      at++;
    }
  }
  return quoted + json.slice(copied);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (json.charCodeAt(at) !== QUOTE) at += json.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at + 1;
}

function startsNumber(unit: number): boolean {
  return unit === 0x2d || (unit >= 0x30 && unit <= 0x39);
}

function endOfNumber(json: string, start: number): number {
  let at = start + 1;
  while (/[\d.eE+-]/.test(json.charAt(at))) at++;
  return at;
}
