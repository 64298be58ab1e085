import { Signal } from "./signal.ts";

/** Long enough for a screen reader to notice that the text was empty in between. */
const PAUSE_MS = 50;

/** Short announcements for screen readers of changes that others see, such as "Copied". */
export class Announcements {
  readonly current = new Signal("");

  readonly say = (text: string): void => {
    this.current.set("");
    setTimeout(() => this.current.set(text), PAUSE_MS);
  };
}
