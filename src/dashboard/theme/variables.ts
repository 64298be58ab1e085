import type { CSSVariablesResolver } from "@mantine/core";

/** Mantine's own greys and reds for small text stay below 4.5 : 1 on both grounds; these reach it. */
export const variables: CSSVariablesResolver = (theme) => ({
  variables: {},
  light: {
    "--mantine-color-text": "#1c211d",
    "--mantine-color-dimmed": "#56605a",
    "--mantine-color-placeholder": "#66706a",
    "--mantine-color-error": "#c22525",
    "--mantine-color-anchor": theme.colors.leaf?.[7] ?? "",
    "--mantine-color-leaf-light-color": theme.colors.leaf?.[8] ?? "",
    "--mantine-color-red-light-color": "#a51d1d",
    "--mantine-color-red-filled": "#c22525",
    "--mantine-color-red-filled-hover": "#a51d1d",
    "--mantine-color-yellow-light-color": "#7a4d00",
    "--mantine-color-gray-light-color": "#495057",
    "--plantstore-ground": "#f7f9f7",
    "--plantstore-raised": "#ffffff",
    "--plantstore-line": "#dfe5e0",
  },
  dark: {
    "--mantine-color-dimmed": "#a3ada6",
    "--mantine-color-placeholder": "#8f9992",
    "--mantine-color-error": "#ff8f8f",
    "--mantine-color-anchor": theme.colors.leaf?.[4] ?? "",
    "--mantine-color-leaf-light-color": theme.colors.leaf?.[3] ?? "",
    "--mantine-color-red-light-color": "#ffa8a8",
    "--mantine-color-red-filled": "#b02a2a",
    "--mantine-color-red-filled-hover": "#961f1f",
    "--mantine-color-yellow-light-color": "#ffd43b",
    "--mantine-color-gray-light-color": "#c1c9c3",
    "--plantstore-ground": "#151816",
    "--plantstore-raised": "#1b1f1c",
    "--plantstore-line": "#2f3531",
  },
});
