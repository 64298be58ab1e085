-- Each request creates another plant: sequential ids from FIRST_ID, or random ones, up to RANDOM_BELOW thousand millions; with TIME_ORDERED, ten of each millisecond
-- from FIRST_ID on, with 20 random bits (docs/scaling.md). With ACT=change it changes one of the
-- PLANTS plants with the ids from 1, with ACT=remove it removes the next plant from FIRST_ID.
-- %d prints all digits; Lua's own tostring would print 14.
local first = tonumber(os.getenv("FIRST_ID"))
local below = tonumber(os.getenv("RANDOM_BELOW") or 900000000)
local plants = tonumber(os.getenv("PLANTS"))
local ordered = os.getenv("TIME_ORDERED")
local act = os.getenv("ACT")
local headers = {
  ["Authorization"] = "Bearer " .. os.getenv("TOKEN"),
  ["Content-Type"] = "application/json",
}
local sent = 0
math.randomseed(os.time() + (first or 0))

function request()
  local id
  sent = sent + 1
  if act == "change" then
    id = string.format("%d", math.random(1, plants))
    return wrk.format("PATCH", "/v1/plants/" .. id, headers, '{"name":"Monstera no. ' .. math.random(1, 900000000) .. '"}')
  end
  if ordered then
    id = tostring((first + math.floor(sent / 10)) * 1048576LL + math.random(0, 1048575)):gsub("LL", "")
  elseif first then
    id = string.format("%d", first + sent - 1)
  else
    id = string.format("%d%09d", math.random(1, below - 1), math.random(0, 999999999))
  end
  if act == "remove" then return wrk.format("DELETE", "/v1/plants/" .. id, headers) end
  return wrk.format("POST", nil, headers, '{"id":' .. id .. ',"name":"Monstera deliciosa","tag":"indoor"}')
end

function done(summary, latency)
  local seconds = summary.duration / 1000000
  io.write(string.format(
    'RESULT {"requests":%d,"refused":%d,"broken":%d,"perSecond":%.1f,"p50":%.3f,"p99":%.3f,"worst":%.3f}\n',
    summary.requests, summary.errors.status + summary.errors.connect + summary.errors.timeout,
    summary.errors.read + summary.errors.write,
    summary.requests / seconds, latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency.max / 1000))
end
