-- Sends creates with distinct ids, and prints one line of JSON at the end.
-- Arguments: path, token, first number, "sequential" or "scattered", and the
-- body in three pieces, between which the id stands.
dofile((debug.getinfo(1, "S").source:match("^@(.*/)") or "") .. "summary.lua")

local count = 0

function init(args)
  path, token, first, order = args[1], args[2], tonumber(args[3]), args[4]
  head, middle, tail = args[5], args[6], args[7]
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
  wrk.headers["Authorization"] = "Bearer " .. token
end

-- An odd factor modulo 2^32 sends different numbers to different ones, in no
-- order that a tree could like. Past 2^21 the product leaves a double's range.
local function scattered(number)
  if number >= 2097152 then error("too many scattered ids") end
  return (number * 2654435761) % 4294967296
end

function request()
  count = count + 1
  local id = first + (order == "scattered" and scattered(count) or count)
  local digits = string.format("%.0f", id)
  return wrk.format(nil, path, nil, head .. digits .. middle .. digits .. tail)
end
