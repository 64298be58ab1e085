/**
 * Copies text to the clipboard. Resolves with false if the browser does not allow it. Pages may use the clipboard only
 * over HTTPS and on localhost (Clipboard API, 7.1); elsewhere the older command copies the selection.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

function copySelected(text: string): boolean {
  const before = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.style.cssText = "position: absolute; clip-path: inset(50%); width: 1px; height: 1px";
  // The field stands beside the button, since an open dialog keeps the focus inside.
  (before?.parentElement ?? document.body).append(field);
  field.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    field.remove();
    if (before instanceof HTMLElement) before.focus();
  }
}
