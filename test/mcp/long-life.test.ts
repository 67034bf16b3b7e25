import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sandbox } from '../support/sandbox.ts'
import { expectProtocolOnly, type Served, served } from './server.ts'

const CALLS = 1_500
const MB = 1024 * 1024
/** The same calls hold 75 MB on Node 20, 81 on 22 and 94 on 24, whose V8 lets its heap grow further; 41 to 44 are Node's own. */
const NODE = Number(process.versions.node.split('.')[0])
const MOST_MB = NODE < 22 ? 90 : NODE < 24 ? 95 : 108

const residentOf = ({ child }: Served) =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024
const openIn = ({ child }: Served) => readdirSync(`/proc/${child.pid}/fd`).length

// Only there the system tells of another process what it holds.
test.skipIf(process.platform !== 'linux')(
  `a server of ${CALLS} calls stays small, and holds few files`,
  {
    timeout: 180_000,
  },
  async () => {
    const server = await served(sandbox())
    const turn = async (n: number) => {
      if (n % 10 === 0)
        await server.did('save', { summary: `Save ${n}`, stream: `work-${n % 7}`, decision: [`D${n}`] })
      else if (n % 10 === 3) await server.did('resume', { id: `work-${(n - 3) % 7}` })
      else if (n % 10 === 5) await server.refused('resume', { id: 'nobody' })
      else if (n % 10 === 7) await server.did('status')
      else if (n % 10 === 9) await server.did('search', { words: ['Save'] })
      else await server.did('list')
    }
    let [most, files] = [0, 0]
    for (let n = 0; n < CALLS; n += 1) {
      await turn(n)
      if (n === 50) files = openIn(server)
      if (n % 25 === 0) most = Math.max(most, residentOf(server))
    }
    if (process.env.REPORT)
      console.log({ most: most / MB, files, now: openIn(server), rss: residentOf(server) / MB })
    expect(most).toBeLessThan(MOST_MB * MB)
    expect(files).toBeLessThan(80)
    expectProtocolOnly(server)
  },
)
