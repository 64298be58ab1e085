import { Window } from "happy-dom";

/**
 * A document for component tests, without a browser. Import it before the components, whose modules may read it when they
 * are loaded. React itself is CommonJS, which the runtime loads before this module runs, so it finds no document then and
 * listens to keys for the changes of text fields. The runtime's own globals, such as fetch and streams, stay.
 */
const window = new Window({
  url: "http://127.0.0.1:3000/dashboard",
  width: 1280,
  height: 900,
  // Lengths of a document without a layout mean nothing, and to convert them takes long.
  settings: { disableComputedStyleRendering: true },
});
const OWN = new Set(["window", "self", "document", "navigator", "location", "history", "Event", "EventTarget"]);

for (const name of Object.getOwnPropertyNames(window)) {
  if (
    name in globalThis &&
    !OWN.has(name) &&
    !/^(?:HTML|SVG|Custom|Keyboard|Mouse|Focus|Input|UI|Pop|Node|Element|FormData)/.test(name)
  ) {
    continue;
  }
  const value = Reflect.get(window, name);
  try {
    Reflect.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  } catch {
    // A few are fixed in the runtime; no component uses them.
  }
}
for (const name of [
  "addEventListener",
  "removeEventListener",
  "dispatchEvent",
  "getComputedStyle",
  "matchMedia",
] as const) {
  Reflect.defineProperty(globalThis, name, { value: window[name].bind(window), configurable: true, writable: true });
}
// Growing text areas wait for fonts, which this document does not load.
Reflect.defineProperty(window.document, "fonts", { value: new window.EventTarget(), configurable: true });

/** Sets the address of the page, and of the place in its history to which the back button returns. */
export function visit(path: string, host = "127.0.0.1"): void {
  window.happyDOM.setURL(`http://${host}:3000${path}`);
  window.history.replaceState(null, "", path);
}

/** Sets the width of the window, in pixels. */
export function resize(width: number): void {
  window.happyDOM.setViewport({ width, height: 900 });
}

/** Calls `act` with the address instead of leaving the page for another document or reloading it. */
export function onLeave(act: (address: string) => void): void {
  const { location } = window;
  const leave = (address: string) => {
    act(address);
  };
  Reflect.defineProperty(location, "assign", { value: leave, configurable: true });
  Reflect.defineProperty(location, "replace", { value: leave, configurable: true });
  Reflect.defineProperty(location, "reload", { value: () => leave(location.href), configurable: true });
}

/** Calls `act` with the name and the address of each file that the page offers as a download. */
export function onDownload(act: (name: string, address: string) => void): void {
  const value = function (this: { download: string; href: string }) {
    act(this.download, this.href);
  };
  Reflect.defineProperty(window.HTMLAnchorElement.prototype, "click", { value, configurable: true });
}

/** Gives every element that is observed from now on a width and a height, since this document has no layout. */
export function layOut(width: number, height: number): void {
  class SizedObserver implements ResizeObserver {
    readonly #report: ResizeObserverCallback;

    constructor(report: ResizeObserverCallback) {
      this.#report = report;
    }

    observe(target: Element): void {
      const size = { inlineSize: width, blockSize: height };
      const entry = { target, contentRect: new DOMRect(0, 0, width, height), borderBoxSize: [size] };
      this.#report([{ ...entry, contentBoxSize: [size], devicePixelContentBoxSize: [size] }], this);
    }

    unobserve(): void {}
    disconnect(): void {}
  }
  Reflect.defineProperty(globalThis, "ResizeObserver", { value: SizedObserver, configurable: true, writable: true });
}
