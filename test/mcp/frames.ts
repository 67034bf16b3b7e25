/** Frames as no client sends them, from a seed: the same for the same number. */
export interface Frame {
  bytes: Buffer
  /** The id of a request that must be answered once; null where nothing is promised. */
  id: string | null
}

/** Numbers from 0 up to 1, from a seed. */
export function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const METHODS = [
  'tools/list',
  'ping',
  'tools/call',
  'initialise',
  'resources/list',
  'prompts/get',
  'server/discover',
  'subscriptions/listen',
  'logging/setLevel',
  'completion/complete',
  '__proto__',
  'constructor',
  'toString',
  '',
  'tools/list\u0000',
  'notifications/initialized',
  'notifications/progress',
  'notifications/roots/list_changed',
]
const TOOLS = ['savepoint_resume', 'savepoint_save', 'savepoint_', '__proto__', 'constructor', '', '../x']
const SCRAPS = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ',',
  ':',
  'null',
  'true',
  '-1e999',
  '"id"',
  '"jsonrpc":"2.0"',
  '\\u0000',
]

/** An endless row of frames. `meta` goes into every request: what the newest revision asks for. */
export function* framesOf(seed: number, meta?: object): Generator<Frame, never> {
  const next = numbers(seed)
  const whole = (most: number) => Math.floor(next() * most)
  const one = <T>(list: readonly T[]): T => {
    const found = list[whole(list.length)]
    if (found === undefined) throw new Error('the list is empty')
    return found
  }
  const value = (depth = 0): unknown => {
    const kinds: Array<() => unknown> = [
      () => null,
      () => next() < 0.5,
      () => (next() - 0.5) * 10 ** whole(300),
      () => String.fromCodePoint(...Array.from({ length: whole(6) }, () => whole(0xd7ff))),
      () => one(TOOLS),
      () => Array.from({ length: whole(4) }, () => value(depth + 1)),
      () => Object.fromEntries(Array.from({ length: whole(4) }, () => [one(METHODS), value(depth + 1)])),
    ]
    return one(depth > 4 ? kinds.slice(0, 5) : kinds)()
  }
  const line = (text: string, end = '\n') => Buffer.from(text + end)
  const request = (id: unknown, method: unknown, params: unknown) =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params })
  const paramsOf = (method: string) => ({
    // A call with nothing in it does real work: most are refused at the door.
    ...(method === 'tools/call' ? { name: one(TOOLS), arguments: { [one(METHODS)]: value() } } : {}),
    ...(meta ? { _meta: meta } : {}),
  })
  let count = 0
  const answered = (end: string): Frame => {
    count += 1
    const id = `frame-${seed}-${count}`
    const method = one(METHODS.slice(0, 15))
    // It is held open by the router of the protocol's package, which answers with a notification.
    const promised = method === 'subscriptions/listen' && meta ? null : id
    return { bytes: line(request(id, method, paramsOf(method)), end), id: promised }
  }
  const nested = () => {
    const depth = 1 + whole(1_500)
    return `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}`
  }
  const kinds: Array<() => Frame> = [
    () => answered('\n'),
    () => answered('\r\n'),
    () => ({ bytes: Buffer.concat([noise(whole(80)), line('')]), id: null }),
    () => ({ bytes: line(Array.from({ length: whole(12) }, () => one(SCRAPS)).join('')), id: null }),
    () => ({ bytes: line(request(value(), value(), value())), id: null }),
    () => ({ bytes: line(request('9'.repeat(1 + whole(3_000)), 'ping', {})), id: null }),
    () => ({ bytes: line(`{"jsonrpc":"2.0","id":${'9'.repeat(1 + whole(400))},"method":"ping"}`), id: null }),
    () => ({ bytes: line(nested()), id: null }),
    () => ({ bytes: line(`[${request(1, 'ping', {})},${request(2, one(METHODS), value())}]`), id: null }),
    () => ({ bytes: line(`\ufeff${request(3, 'ping', {})}`), id: null }),
    () => ({
      bytes: Buffer.concat([Buffer.from([0xc3, 0x28, 0xff]), line(request(4, 'ping', {}))]),
      id: null,
    }),
    () => ({ bytes: line(request(5, one(METHODS), { a: value() }).slice(0, whole(60))), id: null }),
    () => ({ bytes: line(JSON.stringify({ jsonrpc: '2.0', id: whole(9), result: value() })), id: null }),
    () => ({ bytes: line(JSON.stringify({ jsonrpc: one(['1.0', 2, null]), method: 'ping' })), id: null }),
    () => ({ bytes: line(request(undefined, 'notifications/cancelled', { requestId: whole(9) })), id: null }),
  ]
  const noise = (length: number) =>
    Buffer.from(Array.from({ length }, () => whole(256)).map((byte) => (byte === 10 ? 11 : byte)))
  for (;;) yield one(kinds)()
}
