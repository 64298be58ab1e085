import { config } from "zod";

/** The pages' policy forbids making code from text; left alone, the library would try, and the browser report it. */
config({ jitless: true });
