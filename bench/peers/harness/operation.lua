-- Sends one kind of request, and prints one line of JSON at the end.
-- Arguments: method, path, body, token, "any" or "each", the offset of the first
-- plant, the number of plants. In path and body, {id} stands for the id of any
-- plant, or of each one once, and {word} for a word that occurs in ten of the
-- names.
dofile((debug.getinfo(1, "S").source:match("^@(.*/)") or "") .. "summary.lua")

local count = 0

function init(args)
  method, path, body, token, order = args[1], args[2], args[3], args[4], args[5]
  first, plants = tonumber(args[6]), tonumber(args[7])
  if body ~= "" then wrk.headers["Content-Type"] = "application/json" end
  wrk.headers["Authorization"] = "Bearer " .. token
  math.randomseed(os.time())
end

-- A prime factor visits every plant once, in no order that a tree could like.
local function id()
  if order == "any" then return math.random(1, plants) end
  count = count + 1
  if first + count > plants then error("there are not enough plants") end
  return (first + count) * 611953 % plants + 1
end

function request()
  local values = { ["{id}"] = string.format("%.0f", id()), ["{word}"] = string.format("w%05d", math.random(0, 99999)) }
  local sent = body:gsub("{%w+}", values)
  return wrk.format(method, (path:gsub("{%w+}", values)), nil, sent ~= "" and sent or nil)
end
