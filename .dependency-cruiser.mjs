import { IMPORT_RULES } from "./scripts/rooms.ts";

/** Who may import whom: `npm run imports`. */
export default {
  forbidden: IMPORT_RULES,
  options: {
    doNotFollow: { path: "node_modules" },
    // Imports of types count.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { extensions: [".ts", ".tsx"] },
  },
};
