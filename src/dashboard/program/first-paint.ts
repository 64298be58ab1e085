/**
 * Sets the chosen theme before anything is painted, so that a dark page never flashes white. It is a separate script
 * because the pages allow no inline script; the key and the attribute are Mantine's.
 */
const chosen = localStorage.getItem("mantine-color-scheme-value");
const dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
