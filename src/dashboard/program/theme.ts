import { type CSSVariablesResolver, colorsTuple, createTheme, type TextProps } from "@mantine/core";
import { createElement } from "react";
import { Icon } from "../components/icon.tsx";

/** Shades from 7 on reach 4.5 : 1 on white, those up to 6 on the dark background (WCAG 2.2, 1.4.3). */
const LEAF = shades("f0f8f0 dfefdf bcdfbd 95ce98 74c078 5cb560 3f9c48 2f8039 276e31 1d5826");

/** Neutral greys with a slight green tint. */
const DARK = shades("d5dad6 b9c0bb 929b95 6f7973 454c47 353b37 272c29 1b1f1c 151816 0f1110");

function shades(colors: string) {
  return colorsTuple(colors.split(" ").map((color) => `#${color}`));
}

/** A dialog's header is not a landmark of the page: two open dialogs would make two of them. */
const DIALOG_ATTRIBUTES = { header: { role: "presentation" } };
const DIALOG_TITLE = { fontSize: "1rem", fontWeight: 600, lineHeight: 1.35, overflowWrap: "anywhere" } as const;

/** Sizes: 12 for remarks, 13 for tables and labels, 14 for text, 16 and 24 for headings. Weights: 400, 500, 600. */
export const theme = createTheme({
  colors: { leaf: LEAF, dark: DARK },
  primaryColor: "leaf",
  primaryShade: { light: 7, dark: 8 },
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace",
  fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.875rem", lg: "1rem", xl: "1.25rem" },
  lineHeights: { xs: "1.4", sm: "1.5", md: "1.5", lg: "1.5", xl: "1.4" },
  headings: {
    fontWeight: "600",
    sizes: {
      h1: { fontSize: "1.5rem", lineHeight: "1.3" },
      h2: { fontSize: "1rem", lineHeight: "1.5" },
      h3: { fontSize: "0.875rem", lineHeight: "1.5" },
      h4: { fontSize: "0.8125rem", lineHeight: "1.5" },
    },
  },
  defaultRadius: "md",
  respectReducedMotion: true,
  cursorType: "pointer",
  // Named as strings, since the components are loaded by the pages that use them.
  components: {
    ActionIcon: { defaultProps: { variant: "subtle", color: "gray", size: "md" } },
    // A focus ring of a button within it is not cut off.
    Alert: {
      defaultProps: { icon: createElement(Icon, { name: "warning" }) },
      styles: { body: { overflow: "visible", overflowWrap: "anywhere" }, message: { overflow: "visible" } },
    },
    Anchor: { defaultProps: { underline: "always", inherit: true } },
    Badge: { defaultProps: { variant: "light", radius: "sm", tt: "none", fw: 500 } },
    Button: {
      styles: {
        // Its words may take several lines, where it is narrow or letters are large.
        root: { height: "auto" },
        inner: { minHeight: "calc(var(--button-height) - 0.125rem)" },
        label: { overflow: "visible", fontWeight: 500, whiteSpace: "normal", lineHeight: 1.3, paddingBlock: 4 },
        // The library's reduced-motion loader lacks the transition that centers it.
        loader: { transform: "translate(-50%, -50%)" },
      },
    },
    // 24 pixels, the minimum size of a target (WCAG 2.2, 2.5.8).
    Checkbox: { defaultProps: { size: "md" } },
    Radio: { defaultProps: { size: "md" } },
    CloseButton: { defaultProps: { icon: createElement(Icon, { name: "close" }) } },
    Code: { defaultProps: { translate: "no" }, styles: { root: { background: "var(--plantstore-code)" } } },
    Drawer: { defaultProps: { attributes: DIALOG_ATTRIBUTES }, styles: { title: DIALOG_TITLE } },
    // The menu stays within its landmark; ARIA 1.2 does not allow the focus placeholder as a child.
    Menu: {
      defaultProps: { withinPortal: false, withInitialFocusPlaceholder: false },
      styles: { dropdown: { maxWidth: "calc(100vw - 16px)" } },
    },
    // Right-to-left text starts at the right. A field's own `dir` applies to the box around it.
    Input: { defaultProps: { attributes: { input: { dir: "auto" } } } },
    // Nearly every field is required; the few optional ones say so.
    InputWrapper: { defaultProps: { withAsterisk: false }, styles: { description: { lineHeight: 1.4 } } },
    InlineInput: { styles: { description: { lineHeight: 1.4 } } },
    Modal: {
      defaultProps: {
        attributes: DIALOG_ATTRIBUTES,
        centered: true,
        closeButtonProps: { "aria-label": "Close" },
        overlayProps: { opacity: 0.5 },
      },
      styles: { title: DIALOG_TITLE },
    },
    NativeSelect: { defaultProps: { rightSectionProps: { "aria-hidden": true } } },
    NavLink: { styles: { root: { borderRadius: "var(--mantine-radius-md)" } } },
    PasswordInput: {
      defaultProps: {
        visibilityToggleFocusable: true,
        visibilityToggleButtonProps: {
          "aria-label": "Show the password",
          attributes: { icon: { "aria-hidden": true } },
        },
      },
    },
    SegmentedControl: { styles: { root: { maxWidth: "100%", overflowX: "auto" } } },
    Text: {
      defaultProps: { size: "md" },
      styles: (_: unknown, { variant }: TextProps) =>
        variant === "remark"
          ? { root: { fontSize: "var(--mantine-font-size-sm)", color: "var(--mantine-color-dimmed)" } }
          : {},
    },
  },
});

/**
 * Colours in the light and in the dark theme; Mantine's own where there is none. Its greys and reds for small text stay
 * below 4.5 : 1 on both backgrounds; these reach it.
 */
const COLORS: readonly (readonly [variable: string, light: string | undefined, dark: string | undefined])[] = [
  ["--mantine-color-text", "#1c211d", undefined],
  ["--mantine-color-dimmed", "#56605a", "#a3ada6"],
  ["--mantine-color-placeholder", "#66706a", "#8f9992"],
  ["--mantine-color-error", "#c22525", "#ff8f8f"],
  ["--mantine-color-anchor", LEAF[7], LEAF[4]],
  ["--mantine-color-leaf-light-color", LEAF[8], LEAF[3]],
  ["--mantine-color-red-light", undefined, "#3b2020"],
  ["--mantine-color-red-light-hover", undefined, "#4b2828"],
  ["--mantine-color-red-light-color", "#a51d1d", "#ffa8a8"],
  ["--mantine-color-red-filled", "#c22525", "#b02a2a"],
  ["--mantine-color-red-filled-hover", "#a51d1d", "#961f1f"],
  ["--mantine-color-yellow-light", undefined, "#373016"],
  ["--mantine-color-yellow-light-hover", undefined, "#473e1c"],
  ["--mantine-color-yellow-light-color", "#7a4d00", "#ffd43b"],
  ["--mantine-color-gray-light", "#e6ebe7", "#2b312d"],
  ["--mantine-color-gray-light-color", "#495057", "#c1c9c3"],
  ["--plantstore-ground", "#f7f9f7", "#151816"],
  ["--plantstore-raised", "#ffffff", "#1b1f1c"],
  ["--plantstore-line", "#dfe5e0", "#2f3531"],
  ["--plantstore-code", "#edf1ee", "#2b312d"],
  ["--chart-created", "#2f8039", "#5cb560"],
  ["--chart-other", "#a3b8a6", "#566b59"],
  ["--chart-errors", "#c22525", "#ff6b6b"],
  ["--chart-p99", "#7a5bb5", "#b197fc"],
];

export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: Object.fromEntries(COLORS.flatMap(([variable, light]) => (light ? [[variable, light]] : []))),
  dark: Object.fromEntries(COLORS.flatMap(([variable, , dark]) => (dark ? [[variable, dark]] : []))),
});
