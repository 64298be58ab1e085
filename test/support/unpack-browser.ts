import chromium from "@sparticuz/chromium";

/** Before the tests: two that began with a browser at once would unpack it over each other. */
await chromium.executablePath();
