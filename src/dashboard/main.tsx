import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { FramedPages } from "./framed-pages.tsx";
import { PageContext } from "./page-context.tsx";
import "./main.css";

/** The program of the pages within the frame. */
const root = document.getElementById("root");
const page = new PageContext((address, init) => fetch(address, init), location.origin);

if (root) {
  createRoot(root).render(
    <App page={page}>
      <FramedPages />
    </App>,
  );
}
