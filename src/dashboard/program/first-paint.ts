/**
 * Sets the chosen theme before anything is painted, so that a dark page never flashes white, and follows the system's. It is
 * a separate script because the pages allow no inline script; the key and the attribute are Mantine's.
 */
const systemTheme = matchMedia("(prefers-color-scheme: dark)");

function showTheme(): void {
  const chosen = localStorage.getItem("mantine-color-scheme-value");
  const dark = chosen === "dark" || (chosen !== "light" && systemTheme.matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
}

showTheme();
systemTheme.addEventListener("change", showTheme);
