/**
 * Loaded before the tests, by bunfig.toml. `expect(promise).rejects` sleeps until the next timer of the process, for up to a
 * second, where `setImmediate` has settled the promise (https://github.com/oven-sh/bun/pull/39268). This one is never far.
 */
setInterval(() => {}, 5).unref();
