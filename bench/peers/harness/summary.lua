-- Prints the counts and latencies of a run as one line of JSON.
function done(summary, latency)
  io.write(string.format(
    '{"answers":%d,"refused":%d,"broken":%d,"seconds":%.6f,"p50":%.3f,"p99":%.3f,"worst":%.3f}\n',
    summary.requests, summary.errors.status,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
    summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency.max / 1e3))
end
