/**
 * React measures the time of each component for a browser's profiler if the console has `timeStamp` when React is loaded. It
 * is loaded before the modules of a test run, so this is done before all tests. No test reads those times.
 */
Reflect.set(console, "timeStamp", undefined);
