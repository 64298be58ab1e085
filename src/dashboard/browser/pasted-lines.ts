/** Marks a text area that takes a single line, although its text wraps. */
export const ONE_LINE = "data-one-line";

/** Fields whose text is seen, unlike that of a password, which stays as it was copied. */
const SEEN_TYPES = new Set(["text", "search", "email", "tel", "url"]);
const BREAKS = /\s*[\r\n]+\s*/g;

export function withoutBreaks(text: string): string {
  return text.replace(BREAKS, " ");
}

/** Pastes several lines into a field of one line with spaces between them; browsers would join them without. */
export function joinPastedLines(): void {
  document.addEventListener("paste", (event) => {
    const { target, clipboardData } = event;
    const text = clipboardData?.getData("text/plain") ?? "";
    if (!isOneLine(target) || !/[\r\n]/.test(text)) return;
    event.preventDefault();
    // The one way that the browser's own undo knows of.
    document.execCommand("insertText", false, withoutBreaks(text.trim()));
  });
}

function isOneLine(target: EventTarget | null): boolean {
  if (target instanceof HTMLTextAreaElement) return target.hasAttribute(ONE_LINE);
  return target instanceof HTMLInputElement && SEEN_TYPES.has(target.type);
}
