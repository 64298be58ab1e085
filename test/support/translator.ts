import type { Page } from "playwright-core";

/**
 * Lets the page be translated as browsers do: each text is put into elements of the browser's own (`wrapped`), or gives way
 * to them and to a text of theirs (`replaced`, as Chrome has it), except where the page says `translate="no"`. The words
 * stay the same, so that a test finds them.
 */
export async function translate(page: Page, how: "wrapped" | "replaced"): Promise<void> {
  await page.addInitScript((how) => {
    const LEFT_OUT = "script, style, textarea, option, title, font, [translate=no], [contenteditable]";
    const texts = new Set<string>();
    Object.assign(window, { translatedTexts: texts });
    const translateText = (text: Text) => {
      const { parentElement, data } = text;
      if (
        data.trim() === "" ||
        !parentElement ||
        parentElement.closest(LEFT_OUT) ||
        !(parentElement instanceof HTMLElement)
      )
        return;
      texts.add(data);
      const [outer, inner] = [document.createElement("font"), document.createElement("font")];
      outer.append(inner);
      parentElement.insertBefore(outer, text);
      if (how === "replaced") text.remove();
      inner.append(how === "wrapped" ? text : document.createTextNode(data));
    };
    const translateIn = (node: Node) => {
      if (node instanceof Text) return translateText(node);
      const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
      const found: Text[] = [];
      while (walker.nextNode()) found.push(walker.currentNode as Text);
      for (const each of found) translateText(each);
    };
    new MutationObserver((records) => {
      for (const { addedNodes } of records) for (const node of addedNodes) if (node.isConnected) translateIn(node);
    }).observe(document, { childList: true, subtree: true });
  }, how);
}

/** All texts that were translated since the document was loaded; none where nothing translates. */
export async function translatedTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => [...((window as { translatedTexts?: Set<string> }).translatedTexts ?? [])]);
}
