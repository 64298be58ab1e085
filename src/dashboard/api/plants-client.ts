import { PlantstoreClient } from "#client/plantstore-client.ts";
import { accessToken } from "./access-token.ts";
import { learnClock } from "./clock.ts";
import { reportLost } from "./connection.ts";

/** The plants are reached as any client reaches them; a reader who waits is told sooner that nobody answers. */
export const plantsClient = new PlantstoreClient({
  url: location.origin,
  token: accessToken,
  retriesMax: 1,
  async fetch(address, init) {
    try {
      const response = await fetch(address, init);
      learnClock(response.headers);
      return response;
    } catch (error) {
      if (!init.signal?.aborted) reportLost();
      throw error;
    }
  },
});
