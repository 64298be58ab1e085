/** The pages and dialogs that are opened rarely, as one more part of the program: it is loaded when one of them is opened. */
export { default as DeveloperOverviewPage } from "../developer/developer-overview.tsx";
export { default as EventsPage } from "../developer/events-page.tsx";
export { default as WebhooksPage } from "../developer/webhooks-page.tsx";
export { default as CommandPalette } from "../frame/command-palette.tsx";
export { default as ReleaseNotesPage } from "../frame/release-notes-page.tsx";
export { default as ImportBar } from "../import/import-bar.tsx";
export { ImportDialog } from "../import/import-dialog.tsx";
export { default as ActivityPage } from "../overview/activity-page.tsx";
export { UndoDialog } from "../overview/undo-dialog.tsx";
export { LabelsDialog } from "../plants/labels-dialog.tsx";
export { default as AccountPage } from "../settings/account-page.tsx";
export { default as PeoplePage } from "../settings/people-page.tsx";
export { default as ProfilePage } from "../settings/profile-page.tsx";
export { default as SecurityLogPage } from "../settings/security-log-page.tsx";
export { default as SecurityPage } from "../settings/security-page.tsx";
export { default as StorePage } from "../settings/store-page.tsx";
export { default as RefusedPage } from "./refused-page.tsx";
