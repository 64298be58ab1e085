// Before the first schema is made.
import "./without-eval.ts";

import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import "./styles.css";

const root = document.getElementById("root");
if (root) createRoot(root).render(<App />);
