import axe from "axe-core";
import type { Page } from "playwright-core";

/** The rules about colours. Nothing else differs between the themes. */
export const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

export interface AxeOptions {
  readonly rules?: readonly string[];
  /** A selector of the part that is looked at, by default the open dialog, or else the whole page. */
  readonly part?: string;
}

/** The faults that axe finds on the page at present, each with its elements. */
export async function axeFindings(page: Page, { rules, part }: AxeOptions = {}): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source);
  const violations = await page.evaluate(
    async ({ rules, part }) => {
      // The page below a dialog is a state of its own.
      const seen = part ?? [...document.querySelectorAll("[role=dialog]")].at(-1) ?? "html";
      const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run(seen, {
        resultTypes: ["violations"],
        ...(rules ? { runOnly: [...rules] } : {}),
      });
      return violations.map(({ id, nodes }) => ({
        id,
        nodes: nodes.map(({ html, any }) => `${html} ${any[0]?.message ?? ""}`),
      }));
    },
    { rules, part },
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 4).join(" | ")}`);
}

/** Shows the page in that theme, with all colour transitions at their end. */
export async function showTheme(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: "attached" });
  await page.evaluate(() => {
    for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish();
  });
}

/** How much wider than its window the page is, in pixels. */
export function sidewaysOverflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/** Visible buttons, links and fields smaller than 24 by 24 pixels (WCAG 2.2, 2.5.8). Links within text are exempt. */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found = document.querySelectorAll<HTMLElement>("button, a[href], input, select, textarea, [role=menuitem]");
    return [...found]
      .filter((element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
      .filter((element) => !(element.tagName === "A" && getComputedStyle(element).display === "inline"))
      .map((element) => ({ element, box: element.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 1 && (box.width < 24 || box.height < 24))
      .slice(0, 5)
      .map(({ element, box }) => `${element.outerHTML.slice(0, 120)} ${box.width} x ${box.height}`);
  });
}
