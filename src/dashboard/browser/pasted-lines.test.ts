import "#test/support/dom.ts";
import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { joinPastedLines, ONE_LINE } from "./pasted-lines.ts";

document.execCommand ??= () => true;
const inserted = spyOn(document, "execCommand").mockReturnValue(true);
beforeAll(joinPastedLines);
afterAll(() => inserted.mockRestore());

/** The text that is inserted in place of what is pasted into the field; undefined if the browser pastes it itself. */
function pasted(text: string, field: HTMLElement): unknown {
  inserted.mockClear();
  document.body.append(field);
  const event = new Event("paste", { bubbles: true, cancelable: true });
  field.dispatchEvent(Object.assign(event, { clipboardData: { getData: () => text } }));
  field.remove();
  return inserted.mock.calls[0]?.[2];
}

function input(type: string): HTMLInputElement {
  return Object.assign(document.createElement("input"), { type });
}

test("line breaks pasted into a field of one line become spaces, whatever its type", () => {
  for (const type of ["text", "search", "email", "tel", "url"]) {
    expect([type, pasted(" Rosa\r\n  gallica\n", input(type))]).toEqual([type, "Rosa gallica"]);
  }
  const wrapping = document.createElement("textarea");
  wrapping.setAttribute(ONE_LINE, "");
  expect(pasted("Rosa\ngallica", wrapping)).toBe("Rosa gallica");
});

test("a text without breaks, a password, and a field of several lines are left to the browser", () => {
  expect(pasted("Rosa gallica", input("text"))).toBeUndefined();
  expect(pasted("secret\nwords", input("password"))).toBeUndefined();
  expect(pasted("Rosa\ngallica", document.createElement("textarea"))).toBeUndefined();
});
