import { type ComponentType, lazy, Suspense } from "react";
import { PageWait } from "../components/page-title.tsx";

/** Pages that are opened rarely: each is loaded when it is, so that the others weigh no more for it. */
export const AccountPage = rare(() => import("./account-page.tsx"));
export const PeoplePage = rare(() => import("./people-page.tsx"));

function rare(load: () => Promise<{ default: ComponentType }>): ComponentType {
  const Page = lazy(load);
  return () => (
    <Suspense fallback={<PageWait />}>
      <Page />
    </Suspense>
  );
}
