import type { Page } from "playwright-core";
import { eventually } from "./eventually.ts";

const TABS_MAX = 300;

/** Operates a page by keyboard alone. */
export class Keyboard {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Presses Tab until the element with this name has the focus. Throws if it is never reached. */
  async tabTo(name: string | RegExp, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
    for (let count = 0; count < TABS_MAX; count++) {
      await this.press(key);
      if ((await this.#isOn(name)) && (await this.#stays(name))) return;
    }
    throw new Error(`The keyboard does not get to ${name}`);
  }

  press(key: string): Promise<void> {
    return this.#page.keyboard.press(key);
  }

  type(text: string): Promise<void> {
    return this.#page.keyboard.type(text);
  }

  /** Moves the focus there and presses Enter. */
  async choose(name: string | RegExp): Promise<void> {
    await this.tabTo(name);
    await this.press("Enter");
  }

  /** Moves the focus there and types. */
  async fill(name: string | RegExp, text: string): Promise<void> {
    await this.tabTo(name);
    await this.type(text);
  }

  /** Opens the menu whose button has the focus, and chooses an item. */
  async chooseFromMenu(item: string | RegExp): Promise<void> {
    await this.press("Enter");
    const isInMenu = () => document.activeElement?.closest("[role=menu]") !== null;
    await eventually("the focus is in the menu", () => this.#page.evaluate(isInMenu));
    for (let count = 0; !(await this.#isOn(item)) && count < TABS_MAX; count++) await this.press("ArrowDown");
    await this.press("Enter");
  }

  /** Waits for the focus: a dialog takes it a moment after it is visible, and an earlier key would go elsewhere. */
  async landsOn(name: string | RegExp): Promise<void> {
    await eventually(`the focus is on ${name}`, () => this.#isOn(name));
  }

  async #isOn(name: string | RegExp): Promise<boolean> {
    const focused = await this.focused();
    return typeof name === "string" ? focused === name : name.test(focused);
  }

  /** False if the focus moves on by itself: a dialog that closes gives it back to where it came from. */
  async #stays(name: string | RegExp): Promise<boolean> {
    const frames = () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    await this.#page.evaluate(frames);
    return this.#isOn(name);
  }

  focused(): Promise<string> {
    return this.#page.evaluate(focusedName);
  }
}

/** The accessible name of the focused element, as exactly as these pages need it. */
function focusedName(): string {
  const element = document.activeElement;
  if (!(element instanceof HTMLElement)) return "";
  const label = "labels" in element ? (element as HTMLInputElement).labels?.[0]?.textContent : undefined;
  return (element.getAttribute("aria-label") ?? label ?? element.textContent ?? "").replace(/\s*\*$/, "").trim();
}
