/** Kills a system with SIGKILL during a load, and counts the answered creates that are missing afterwards. */
import type { Service } from "./service.ts";
import { SteadyLoad } from "./steady.ts";
import { storedIds } from "./store.ts";

export interface Crash {
  answered: number;
  lost: number;
}

const firstId = 8e12;

export async function crash(service: Service, seconds: number): Promise<Crash> {
  const load = new SteadyLoad(service, firstId);
  await Bun.sleep(seconds * 1000);
  await Promise.all([service.kill(), load.stop()]);
  await service.startAgain();
  return load.compared(await storedIds(service.peer, service.place));
}
