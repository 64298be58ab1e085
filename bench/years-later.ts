/**
 * Loaded before a service (`bun --preload`), it moves the clock of a service forward by YEARS and lets jobs run at once, so that
 * whatever a sweep is to remove some day is removed now.
 */
const FORWARD_MS = Number(process.env.YEARS) * 366 * 86_400_000;
const DELAY_MS_MAX = 500;

const now = Date.now.bind(Date);
const later = globalThis.setTimeout;

globalThis.Date = class extends Date {
  constructor(...given: unknown[]) {
    super(...((given.length > 0 ? given : [Date.now()]) as [number]));
  }
  static override now = () => now() + FORWARD_MS;
} as DateConstructor;
globalThis.setTimeout = ((act: () => void, ms = 0, ...given: []) =>
  later(act, Math.min(ms, DELAY_MS_MAX), ...given)) as typeof setTimeout;

export {};
