import { type ComponentType, lazy, type ReactNode, Suspense } from "react";
import { PageWait } from "../components/page-title.tsx";

type Parts = typeof import("./rare-parts.ts");

/** Pages that are opened rarely: they are loaded when one is, so that the others weigh no more for them. */
export const AccountPage = rare((parts) => parts.AccountPage);
export const ActivityPage = rare((parts) => parts.ActivityPage);
export const CommandPalette = rare((parts) => parts.CommandPalette, null);
export const DeveloperOverviewPage = rare((parts) => parts.DeveloperOverviewPage);
export const EventsPage = rare((parts) => parts.EventsPage);
export const ImportBar = rare((parts) => parts.ImportBar, null);
export const PeoplePage = rare((parts) => parts.PeoplePage);
export const ProfilePage = rare((parts) => parts.ProfilePage);
export const RefusedPage = rare((parts) => parts.RefusedPage);
export const ReleaseNotesPage = rare((parts) => parts.ReleaseNotesPage);
export const SecurityLogPage = rare((parts) => parts.SecurityLogPage);
export const SecurityPage = rare((parts) => parts.SecurityPage);
export const StorePage = rare((parts) => parts.StorePage);
export const WebhooksPage = rare((parts) => parts.WebhooksPage);

function rare(choose: (parts: Parts) => ComponentType, wait: ReactNode = <PageWait />): ComponentType {
  const Page = lazy(async () => ({ default: choose(await import("./rare-parts.ts")) }));
  return () => (
    <Suspense fallback={wait}>
      <Page />
    </Suspense>
  );
}
