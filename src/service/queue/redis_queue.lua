-- Every transition of the distributed queue. Redis runs a script without interruption and writes its effects to the
-- append-only file as one, so that each operation below happens whole or not at all.
--
-- KEYS[1] is the prefix of all keys, ARGV[1] the operation, ARGV[2] the date in unix milliseconds (the caller's: no
-- clock of Redis is used), ARGV[3].. its arguments. Tasks go out as lists of values in the order of FIELDS. What the
-- keys hold is in docs/queue.md.

local P, NOW = KEYS[1], ARGV[2]
local QUEUED, RUNNING, DONE, CANCELLED, DEAD = '0', '1', '2', '3', '4'

local FIELDS = {
  'sequence', 'id', 'state', 'tenant', 'run', 'priority', 'content_key', 'labels', 'affinity', 'expected_hold_s',
  'deadline_ms', 'max_attempts', 'dedup', 'submitted_ms', 'started_ms', 'ended_ms', 'attempt', 'handed_back',
  'lease_ms', 'worker', 'lane', 'stage', 'reason', 'attached_to'}
local OWN = {'fingerprint', 'share_key', 'beat', 'nonce'}  -- Kept with a task, never sent out.
local SPEC = {
  'id', 'tenant', 'run', 'priority', 'content_key', 'labels', 'affinity', 'expected_hold_s', 'deadline_ms',
  'max_attempts', 'dedup', 'fingerprint', 'share_key'}
local KEPT_CHANGES, LONGEST_LOOK = 100000, 5000

local function ended(state) return state ~= QUEUED and state ~= RUNNING end
local function task_key(id) return P .. 'task:' .. id end

local function find(id)
  local task = {}
  for _, names in ipairs({FIELDS, OWN}) do
    local values = redis.call('HMGET', task_key(id), unpack(names))
    if not values[1] then return nil end
    for i, name in ipairs(names) do task[name] = values[i] end
  end
  return task
end

local function values_of(task)
  local values = {}
  for i, name in ipairs(FIELDS) do values[i] = task[name] end
  return values
end

-- With payload and result behind the fields.
local function whole(task)
  local values = values_of(task)
  local texts = redis.call('HMGET', task_key(task.id), 'payload', 'result')
  values[#values + 1] = texts[1] or ''
  values[#values + 1] = texts[2] or ''
  return values
end

local function count(field, by) redis.call('HINCRBY', P .. 'count', field, by) end

-- Enters a task into all indexes (by = 1), or takes it out of them (by = -1).
local function index(task, by)
  local function keep(key, score)
    if by > 0 then redis.call('ZADD', P .. key, score, task.id) else redis.call('ZREM', P .. key, task.id) end
  end
  keep('state:' .. task.state, task.sequence)
  if ended(task.state) then return keep('ended', task.ended_ms) end
  if task.deadline_ms ~= '0' then keep('deadline', task.deadline_ms) end
  if task.state == QUEUED then
    count('priority:' .. task.priority, by)
    redis.call('HINCRBY', P .. 'tenants', task.tenant, by)
    if by < 0 and redis.call('HGET', P .. 'tenants', task.tenant) == '0' then
      redis.call('HDEL', P .. 'tenants', task.tenant)
    end
  end
  if task.attached_to ~= '' then
    keep('attached:' .. task.attached_to, task.sequence)
    count('attached', by)
  elseif task.share_key ~= '' then
    if by > 0 then
      redis.call('SET', P .. 'share:' .. task.share_key, task.id)
    else
      redis.call('DEL', P .. 'share:' .. task.share_key)
    end
  end
end

-- The changes are numbered without a gap, so that a reader knows when it missed one.
local function tell(task)
  local number = redis.call('INCR', P .. 'changed')
  redis.call('HSET', task_key(task.id), 'change', number)
  local entry = {}
  for _, name in ipairs(FIELDS) do
    entry[#entry + 1] = name
    entry[#entry + 1] = task[name]
  end
  redis.call('XADD', P .. 'changes', 'MAXLEN', '~', KEPT_CHANGES, '0-' .. number, unpack(entry))
end

local function save(task, fields)
  local values = {}
  for name, value in pairs(fields) do
    values[#values + 1] = name
    values[#values + 1] = value
  end
  redis.call('HSET', task_key(task.id), unpack(values))
end

local function change(task, fields)
  index(task, -1)
  for name, value in pairs(fields) do task[name] = value end
  save(task, fields)
  index(task, 1)
  if fields.state and ended(fields.state) then
    count('ended:' .. task.state, 1)
    local minute = P .. 'ended_in:' .. math.floor(NOW / 60000)
    redis.call('INCR', minute)
    redis.call('EXPIRE', minute, 180)
  end
  tell(task)
end

local function finish(task, state, reason)
  change(task, {state = state, ended_ms = NOW, reason = reason, stage = ''})
end

local function attached_to(id)
  local tasks = {}
  for i, other in ipairs(redis.call('ZRANGE', P .. 'attached:' .. id, 0, -1)) do tasks[i] = find(other) end
  return tasks
end

-- The oldest of those attached to a task that has no result to give does the work itself; the others wait for it.
local function promote(id)
  local tasks, urgent = attached_to(id), '0'
  for _, task in ipairs(tasks) do
    if task.priority > urgent then urgent = task.priority end
  end
  for i, task in ipairs(tasks) do
    if i == 1 then
      change(task, {attached_to = '', priority = urgent})
    else
      change(task, {attached_to = tasks[1].id})
    end
  end
end

-- Those attached to a task that is done, or died of its own work, end as it did.
local function finish_attached(leader, result)
  local reason = ''
  if leader.state == DEAD then
    reason = "identical work, task '" .. leader.id .. "', is dead: " .. leader.reason
  end
  for _, task in ipairs(attached_to(leader.id)) do
    if result then save(task, {result = result}) end
    finish(task, leader.state, reason)
  end
end

local function lose(task, reason)
  local counted = task.attempt - task.handed_back
  if counted < tonumber(task.max_attempts) then
    count('redelivered', 1)
    return change(task, {state = QUEUED, reason = reason, stage = ''})
  end
  finish(task, DEAD, string.format('%d of %s attempts failed; the last: %s', counted, task.max_attempts, reason))
  finish_attached(task)
end

local function last_held_by(task, worker, attempt)
  return task and task.worker == worker and task.attempt == attempt and task.attached_to == ''
end

-- The task of a hold, or what to tell whoever has lost it.
local function held(id, worker, attempt, repeated)
  local task = find(id)
  if last_held_by(task, worker, attempt) then
    if task.state == RUNNING then return task end
    if repeated[task.state] then return nil, {'repeated'} end
  end
  return nil, {'stale'}
end

local function told_stale(answer)
  if answer[1] == 'stale' then count('stale', 1) end
  return answer
end

local function attach(task)
  if task.share_key == '' then return '' end
  local leader_id = redis.call('GET', P .. 'share:' .. task.share_key)
  if not leader_id then return '' end
  local leader = find(leader_id)
  if leader.priority < task.priority then change(leader, {priority = task.priority}) end
  return leader_id
end

local operations = {}

function operations.submit(most, most_of_tenant, payload, ...)
  local task = {}
  for i, value in ipairs({...}) do task[SPEC[i]] = value end
  local known = find(task.id)
  if known then
    return {known.fingerprint == task.fingerprint and 'same' or 'conflict', unpack(whole(known))}
  end
  local of_tenant = tonumber(redis.call('HGET', P .. 'tenants', task.tenant) or '0')
  local tenant_is_full = most_of_tenant ~= '0' and of_tenant >= tonumber(most_of_tenant)
  if tenant_is_full or redis.call('ZCARD', P .. 'state:' .. QUEUED) >= tonumber(most) then
    local minute = math.floor(NOW / 60000)
    return {tenant_is_full and 'tenant full' or 'full', redis.call('GET', P .. 'ended_in:' .. minute) or '0',
            redis.call('GET', P .. 'ended_in:' .. (minute - 1)) or '0'}
  end
  for _, name in ipairs({'started_ms', 'ended_ms', 'attempt', 'handed_back', 'lease_ms', 'beat'}) do task[name] = '0' end
  for _, name in ipairs({'worker', 'lane', 'stage', 'reason', 'nonce'}) do task[name] = '' end
  task.state, task.submitted_ms, task.attached_to = QUEUED, NOW, attach(task)
  task.sequence = string.format('%d', redis.call('INCR', P .. 'sequence'))
  save(task, task)
  save(task, {payload = payload})
  for _, key in ipairs({'all', 'run:' .. task.run, 'tenant:' .. task.tenant}) do
    redis.call('ZADD', P .. key, task.sequence, task.id)
  end
  index(task, 1)
  count('accepted', 1)
  tell(task)
  return {'new', unpack(whole(task))}
end

-- The nonce is the request's own: asked again because the answer was lost, it is granted again.
function operations.lease(id, worker, lane, lease_ms, nonce)
  local task = find(id)
  if not task then return {'no'} end
  if task.state == RUNNING and task.nonce == nonce then return {'leased', unpack(whole(task))} end
  local late = task.deadline_ms ~= '0' and tonumber(task.deadline_ms) <= tonumber(NOW)
  if task.state ~= QUEUED or task.attached_to ~= '' or late then return {'no'} end
  change(task, {state = RUNNING, started_ms = NOW, attempt = string.format('%d', task.attempt + 1), worker = worker,
                lane = lane, lease_ms = lease_ms, nonce = nonce, stage = ''})
  return {'leased', unpack(whole(task))}
end

function operations.extend(id, worker, attempt, stage)
  local task = find(id)
  if not last_held_by(task, worker, attempt) or task.state ~= RUNNING then return {'lost'} end
  redis.call('HINCRBY', task_key(id), 'beat', 1)
  if stage ~= '' and stage ~= task.stage then change(task, {stage = stage}) end
  return {'held'}
end

function operations.complete(id, worker, attempt, result)
  local task, other = held(id, worker, attempt, {[DONE] = true})
  if not task then return told_stale(other) end
  save(task, {result = result})
  finish(task, DONE, '')
  finish_attached(task, result)
  return {'stored'}
end

function operations.hand_back(id, worker, attempt)
  local task, other = held(id, worker, attempt, {[QUEUED] = true})
  if not task then return told_stale(other) end
  change(task, {state = QUEUED, handed_back = string.format('%d', task.handed_back + 1), stage = ''})
  return {'stored'}
end

function operations.fail(id, worker, attempt, reason)
  local task, other = held(id, worker, attempt, {[QUEUED] = true, [DEAD] = true})
  if not task then return told_stale(other) end
  lose(task, reason)
  return {'stored'}
end

function operations.cancel(id)
  local task = find(id)
  if not task then return {} end
  if not ended(task.state) then
    finish(task, CANCELLED, 'cancelled')
    promote(id)
  end
  return whole(task)
end

function operations.get(id)
  local task = find(id)
  return task and whole(task) or {}
end

-- Looks through the smallest index that holds what is asked for. A page that would take too long a look ends early.
function operations.list(before, limit, state, tenant, run)
  local index_key
  local function consider(wanted, key)
    if wanted == '' then return end
    if not index_key or redis.call('ZCARD', P .. key) < redis.call('ZCARD', index_key) then index_key = P .. key end
  end
  consider('all', 'all')
  consider(state, 'state:' .. state)
  consider(tenant, 'tenant:' .. tenant)
  consider(run, 'run:' .. run)

  local page, looked, top = {''}, 0, '(' .. before
  while true do
    local chunk = redis.call('ZREVRANGEBYSCORE', index_key, top, '-inf', 'LIMIT', 0, 500)
    for _, id in ipairs(chunk) do
      local task = find(id)
      local fits = (state == '' or task.state == state) and (tenant == '' or task.tenant == tenant) and
                   (run == '' or task.run == run)
      if looked == LONGEST_LOOK or (fits and #page > tonumber(limit)) then
        page[1] = top:sub(2)
        return page
      end
      if fits then page[#page + 1] = values_of(task) end
      looked, top = looked + 1, '(' .. task.sequence
    end
    if #chunk < 500 then return page end
  end
end

function operations.stats()
  local stats = {}
  for state = 0, 4 do stats[#stats + 1] = tostring(redis.call('ZCARD', P .. 'state:' .. state)) end
  local names = {'priority:0', 'priority:1', 'priority:2', 'attached', 'accepted', 'redelivered', 'stale', 'ended:2',
                 'ended:3', 'ended:4'}
  for _, value in ipairs(redis.call('HMGET', P .. 'count', unpack(names))) do stats[#stats + 1] = value or '0' end
  local oldest = redis.call('ZRANGE', P .. 'state:' .. QUEUED, 0, 0)[1]
  stats[#stats + 1] = oldest and find(oldest).submitted_ms or '0'
  return stats
end

-- What a look at the leases sees: id, attempt, beat, lease_ms of each.
function operations.running()
  local seen = {}
  for _, id in ipairs(redis.call('ZRANGE', P .. 'state:' .. RUNNING, 0, -1)) do
    for _, value in ipairs(redis.call('HMGET', task_key(id), 'id', 'attempt', 'beat', 'lease_ms')) do
      seen[#seen + 1] = value
    end
  end
  return seen
end

-- Only if nothing was heard since the look that found it lost.
function operations.take_back(id, attempt, beat)
  local task = find(id)
  if not task or task.state ~= RUNNING or task.attempt ~= attempt or task.beat ~= beat then return {'0'} end
  lose(task, string.format('worker %s on lane %s was not heard of for %.6g s', task.worker, task.lane,
                           task.lease_ms / 1000))
  return {'1'}
end

function operations.pass_deadlines()
  local late = redis.call('ZRANGEBYSCORE', P .. 'deadline', '-inf', NOW, 'LIMIT', 0, 1000)
  local sequences = {}
  for _, id in ipairs(late) do sequences[id] = tonumber(redis.call('HGET', task_key(id), 'sequence')) end
  table.sort(late, function(a, b) return sequences[a] < sequences[b] end)
  for _, id in ipairs(late) do
    local task = find(id)
    local lane = task.labels ~= '' and ' for a lane with ' .. task.labels or ''
    local reason = 'its deadline passed while it waited' .. lane .. ', after ' .. task.attempt .. ' attempts'
    if task.state == RUNNING then reason = 'its deadline passed in attempt ' .. task.attempt end
    finish(task, DEAD, reason)
    promote(id)
  end
  return {tostring(#late)}
end

function operations.forget(before_ms, kept, limit)
  local room = tonumber(limit)
  local gone = redis.call('ZRANGEBYSCORE', P .. 'ended', '-inf', '(' .. before_ms, 'LIMIT', 0, room)
  local excess = math.min(redis.call('ZCARD', P .. 'ended') - tonumber(kept), room)
  if excess > #gone then gone = redis.call('ZRANGE', P .. 'ended', 0, excess - 1) end
  for _, id in ipairs(gone) do
    local task = find(id)
    for _, key in ipairs({'ended', 'all', 'state:' .. task.state, 'run:' .. task.run, 'tenant:' .. task.tenant}) do
      redis.call('ZREM', P .. key, id)
    end
    redis.call('DEL', task_key(id))
  end
  return {tostring(#gone)}
end

-- The number of the last change; then tasks of one state, the next behind a sequence, each with the number of its own
-- last change behind the fields. In pages, so that a long queue holds up nobody.
function operations.live(state, after, limit)
  local answer = {redis.call('GET', P .. 'changed') or '0'}
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', P .. 'state:' .. state, '(' .. after, '+inf', 'LIMIT', 0, limit)) do
    local values = redis.call('HMGET', task_key(id), unpack(FIELDS))
    values[#values + 1] = redis.call('HGET', task_key(id), 'change')
    answer[#answer + 1] = values
  end
  return answer
end

-- The roster. A member that tells of itself moves its beat; who reads it sees whether a beat still moves.
local function member_key(name) return P .. 'worker:' .. name end

function operations.tell_member(name, instance, text)
  local known = redis.call('HMGET', member_key(name), 'instance', 'beat')
  if known[1] and known[1] ~= instance then return {'held', known[2]} end
  -- No number twice: who comes back, or takes a name over, is not to be taken for who fell silent.
  local beat = redis.call('INCR', P .. 'worker-beats')
  redis.call('HSET', member_key(name), 'instance', instance, 'text', text, 'beat', beat)
  redis.call('SADD', P .. 'workers', name)
  return {'told'}
end

local function strike(name)
  redis.call('DEL', member_key(name))
  redis.call('SREM', P .. 'workers', name)
end

function operations.leave_member(name, instance)
  if redis.call('HGET', member_key(name), 'instance') == instance then strike(name) end
  return {}
end

-- Only if nothing was heard since the look that found it silent.
function operations.strike_member(name, beat)
  if redis.call('HGET', member_key(name), 'beat') == beat then strike(name) end
  return {}
end

-- Name, instance, beat and text of each.
function operations.members()
  local seen = {}
  for _, name in ipairs(redis.call('SMEMBERS', P .. 'workers')) do
    seen[#seen + 1] = name
    for _, value in ipairs(redis.call('HMGET', member_key(name), 'instance', 'beat', 'text')) do
      seen[#seen + 1] = value
    end
  end
  return seen
end

return operations[ARGV[1]](unpack(ARGV, 3))
