/**
 * React measures the time of each component for a browser's profiler if the console has this when React is loaded, which
 * is before the body of any other module. No test reads those times.
 */
Reflect.set(console, "timeStamp", undefined);
