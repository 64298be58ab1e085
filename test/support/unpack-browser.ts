import { unpackChromium } from "./chromium.ts";

/** Runs before the tests, so that two test processes do not unpack the browser at the same time. */
await unpackChromium();
