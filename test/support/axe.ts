import axe from "axe-core";
import type { Page } from "playwright-core";

/** The rules about colours. Nothing else differs between the themes. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

interface AxeOptions {
  readonly rules?: readonly string[];
  /** A selector of the part that is looked at, by default the open dialog, or else the whole page. */
  readonly part?: string;
}

/** What looks like those before and after it: rows of a long list, and operations of the reference. */
const ALIKE = ["tbody > tr", ".members > li"].map((row) => `${row}:nth-child(n + 6):not(:nth-last-child(-n + 6))`);
const OPERATIONS_ALIKE = ".operation ~ .operation ~ .operation:not(:has(form))";

/** The faults that axe finds on the page at present, each with its elements. */
async function axeFindings(page: Page, { rules, part }: AxeOptions = {}): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source);
  return page.evaluate(
    async ({ rules, part, alike, operations }) => {
      // Taken out of the page meanwhile, since axe goes through what it shall not look at too, here thousands of elements.
      const taken = [...document.querySelectorAll(operations)].map((operation) => {
        const place = document.createComment("");
        operation.replaceWith(place);
        return () => place.replaceWith(operation);
      });
      // The page below a dialog is a state of its own.
      const include = part ?? [...document.querySelectorAll("[role=dialog]")].at(-1) ?? "html";
      const context = { include, exclude: alike } as axe.ElementContext;
      const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run(context, {
        resultTypes: ["violations"],
        selectors: false,
        preload: false,
        ...(rules ? { runOnly: [...rules] } : {}),
      });
      for (const putBack of taken) putBack();
      return violations.map(({ id, nodes }) => {
        const elements = nodes.slice(0, 4).map(({ html, any }) => `${html} ${any[0]?.message ?? ""}`);
        return `${id}: ${elements.join(" | ")}`;
      });
    },
    { rules, part, alike: ALIKE, operations: OPERATIONS_ALIKE },
  );
}

/** The faults in both themes: all of them in the one that is shown, and those of the colours in the other, which it shows then. */
export async function axeFindingsOfThemes(page: Page, part?: string): Promise<string[]> {
  const dark = await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches);
  const found: string[] = [];
  for (const [theme, rules] of [[dark ? "dark" : "light"], [dark ? "light" : "dark", COLOUR_RULES]] as const) {
    await showTheme(page, theme);
    found.push(...(await axeFindings(page, { part, rules })).map((finding) => `${theme}: ${finding}`));
  }
  return found;
}

/** Shows the page in that theme, with all colour transitions at their end. */
export async function showTheme(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: "attached" });
  await page.evaluate(() => {
    for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish();
  });
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

/** Roles that say nothing without a name. */
const NAMED = new Set(
  "button checkbox combobox dialog heading image link menuitem progressbar radio switch tab table textbox".split(" "),
);
/** In a name, the traces of a value that was not there. */
const BROKEN_NAME = /undefined|null|NaN|\[object/;

/**
 * What is wrong with the page as a screen reader gets it: parts without a name, other than one main landmark and one
 * heading of the first level, and no live region to hear of changes.
 */
export async function treeFaults(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  const seen = nodes
    .filter(({ ignored }) => !ignored)
    .map(({ role, name, properties = [] }) => ({
      role: String(role?.value),
      name: String(name?.value ?? "").trim(),
      is: Object.fromEntries(properties.map((each) => [each.name, each.value.value])),
    }));
  const named = seen.filter(({ role }) => NAMED.has(role));
  const nameless = named.filter(({ name }) => name === "");
  const broken = named.filter(({ name }) => BROKEN_NAME.test(name));
  const of = (wanted: string) => seen.filter(({ role }) => role === wanted).length;
  const titles = seen.filter(({ role, is }) => role === "heading" && is.level === 1).length;
  const live = seen.filter(({ is }) => is.live === "polite" || is.live === "assertive").length;
  return [
    ...nameless.map(({ role }) => `a ${role} has no name`),
    ...broken.map(({ role, name }) => `a ${role} is called "${name.slice(0, 80)}"`),
    ...(of("main") === 1 ? [] : [`${of("main")} main landmarks`]),
    ...(titles === 1 ? [] : [`${titles} headings of level 1`]),
    ...(live > 0 ? [] : ["no live region"]),
  ];
}

/** Parts of the page, and the page itself, that scroll sideways or both ways, tables apart (WCAG 2.2, 1.4.10). */
export function twoWayScrolling(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const scrolls = (style: string) => style === "auto" || style === "scroll";
    const { scrollWidth, clientWidth } = document.documentElement;
    const found = [...document.querySelectorAll<HTMLElement>("body *")].filter((element) => {
      const { overflowX, overflowY } = getComputedStyle(element);
      const sideways = scrolls(overflowX) && element.scrollWidth > element.clientWidth + 1;
      const down = scrolls(overflowY) && element.scrollHeight > element.clientHeight + 1;
      return sideways && down && element.checkVisibility() && !element.querySelector("table");
    });
    const whole = scrollWidth > clientWidth ? [`the page, by ${scrollWidth - clientWidth} pixels`] : [];
    return [...whole, ...found.map((element) => element.outerHTML.slice(0, 120))];
  });
}

/** What moves for longer than a moment, for a reader who asked for no motion. */
export function movingParts(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    document
      .getAnimations()
      .filter(({ playState, effect }) => playState === "running" && Number(effect?.getComputedTiming().endTime) > 300)
      .map(({ effect }) => ((effect as KeyframeEffect).target as Element | null)?.outerHTML.slice(0, 120) ?? "unknown"),
  );
}
