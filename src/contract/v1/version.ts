/** The version of the interface that this folder reads and writes. */
export const VERSION = "1.0.0";
