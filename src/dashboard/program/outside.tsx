import { startTransition } from "react";
import { createRoot } from "react-dom/client";
import { Route, Switch } from "wouter";
import { takeProviderAnswer } from "../api/provider.ts";
import { joinPastedLines } from "../browser/pasted-lines.ts";
import { guardTranslatedTexts } from "../browser/translated-texts.ts";
import InvitationPage from "../entrance/invitation-page.tsx";
import RecoveryPage from "../entrance/recovery-page.tsx";
import SignInPage from "../entrance/sign-in-page.tsx";
import VerifyEmailPage from "../entrance/verify-email-page.tsx";
import WelcomePage from "../entrance/welcome-page.tsx";
import { signInAddress } from "../session/session.ts";
import { forgetSession } from "../session/session-hint.ts";
import { App } from "./app.tsx";
import { PageContext } from "./page-context.tsx";
import "./outside.css";

guardTranslatedTexts();
joinPastedLines();

/** The program for readers who are not signed in. Links to the other pages load a new document. */
const root = document.getElementById("root");
const page = new PageContext((address, init) => fetch(address, init), location.origin);

const OWN = [
  "/dashboard/sign-in",
  "/dashboard/welcome",
  "/dashboard/recovery",
  "/dashboard/verify-email",
  "/dashboard/invitation",
];

if (root) {
  const answer = takeProviderAnswer();
  // A reader who is not signed in gets this program from the service at every address of the dashboard.
  if (!OWN.includes(location.pathname)) {
    forgetSession();
    history.replaceState(null, "", signInAddress());
  }
  startTransition(() =>
    createRoot(root).render(
      <App page={page}>
        <Switch>
          <Route path="/dashboard/welcome" component={WelcomePage} />
          <Route path="/dashboard/recovery" component={RecoveryPage} />
          <Route path="/dashboard/verify-email" component={VerifyEmailPage} />
          <Route path="/dashboard/invitation" component={InvitationPage} />
          <Route>
            <SignInPage answer={answer} />
          </Route>
        </Switch>
      </App>,
    ),
  );
}
