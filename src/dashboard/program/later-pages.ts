/**
 * All pages but the Overview, as one part of the program that is loaded after it, or at once if one of them is
 * requested. With several parts, the code that they share would be split into even more files.
 */
export { default as DeveloperHome, QuickStartPage } from "../developer/developer-home.tsx";
export { default as RequestsPage } from "../developer/requests-page.tsx";
export { default as TokensPage } from "../developer/tokens-page.tsx";
export { LastImports } from "../overview/last-imports.tsx";
export { default as PlantsPage } from "../plants/plants-page.tsx";
export { default as UndoBar } from "../plants/undo-bar.tsx";
export { default as ReferencePage } from "../reference/reference-page.tsx";
export * from "./rare-pages.tsx";
export { default as UnknownPage } from "./unknown-page.tsx";
