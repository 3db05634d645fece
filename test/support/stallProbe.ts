// Loaded into a gateway process before its own code: measures how long its event loop stands still, and answers
// each request to the socket named in STALL_PROBE with the worst since the last one.

const INTERVAL_MS = 5

let worstMs = 0
let last = performance.now()
let lastCpu = cpuMs()

/** CPU time of the whole process. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

setInterval(() => {
  const now = performance.now()
  const cpu = cpuMs()
  // A process that had no processor stood still through nobody's fault of its own.
  worstMs = Math.max(worstMs, Math.min(now - last - INTERVAL_MS, cpu - lastCpu))
  last = now
  lastCpu = cpu
}, INTERVAL_MS).unref()

Bun.serve({
  unix: process.env['STALL_PROBE'] ?? '',
  fetch() {
    const found = { worstMs, residentBytes: process.memoryUsage.rss() }
    worstMs = 0
    return Response.json(found)
  },
}).unref()
