import { expect, test } from "bun:test";
import { unavailable } from "#core/failure.ts";
import { contextOfRequest } from "#test/support/request-context.ts";
import { type DashboardFile, dashboardPages } from "./dashboard-pages.ts";

function file(text: string): DashboardFile {
  return { type: "text/html", br: new Blob(), gzip: new Blob(), identity: async () => new Blob([text]) };
}

const ASSETS = {
  pages: {
    outside: file("sign-in"),
    reference: file("reference"),
    framed: { "/dashboard": file("overview"), "/docs": file("reference within the frame") },
    other: file("other"),
  },
  guides: new Map(),
  downloads: [],
  icon: "icon.svg",
  files: new Map(),
};

const CLIENT = { origin: "http://127.0.0.1", address: "127.0.0.1", headers: new Headers() };

/** The content of the page at an address. */
async function pageAt(path: string, isSignedIn: () => Promise<boolean>, method = "GET"): Promise<string> {
  const mount = dashboardPages(ASSETS, isSignedIn).find(({ prefix }) => path.startsWith(prefix));
  const request = new Request(`http://127.0.0.1${path}`, { method });
  const answer = await mount?.fetch(
    contextOfRequest(request, { clientInfoOf: () => CLIENT }),
    async () => new Response(),
  );
  return answer?.text() ?? "";
}

test("readers who are signed in get the page that they ask for, and others the sign-in or the plain reference", async () => {
  expect(await pageAt("/dashboard", async () => true)).toBe("overview");
  expect(await pageAt("/docs", async () => true)).toBe("reference within the frame");
  expect(await pageAt("/dashboard", async () => false)).toBe("sign-in");
  expect(await pageAt("/docs", async () => false)).toBe("reference");
});

test("while storage is out of reach, the page is served that was asked for", async () => {
  const outage = () => Promise.reject(unavailable("The storage is away"));
  expect(await pageAt("/dashboard", outage)).toBe("overview");
  await expect(pageAt("/dashboard", () => Promise.reject(new TypeError("a fault")))).rejects.toThrow("a fault");
});

test("no session is looked up for the sign-in and for files", async () => {
  const never = () => Promise.reject(new Error("a look-up"));
  expect(await pageAt("/dashboard/sign-in", never)).toBe("sign-in");
  expect(await pageAt("/dashboard/assets/missing.js", never).catch((error) => error.code)).toBe("address-unknown");
});

test.each(["/docs/missing", "/dashboard/assets/missing.js", "/favicon.ico/missing"])(
  "%s is no address, whatever the method",
  async (path) => {
    for (const method of ["GET", "POST", "OPTIONS"]) {
      const refused = pageAt(path, async () => false, method);
      expect([method, await refused.catch((error) => error.code)]).toEqual([method, "address-unknown"]);
    }
  },
);
