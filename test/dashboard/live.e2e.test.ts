import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { idOf } from '../session/lab.ts'
import { DashboardLab, startDashboard } from './lab.ts'

let lab: DashboardLab

beforeAll(async () => {
  lab = await DashboardLab.open(true)
})

afterAll(() => lab.close())

const WITHIN_MS = 1_000

test('a save of the command line is on the page within a second, without a reload and without a jump', async () => {
  await lab.goTo('/')
  await lab.see('The assertion is verified; the counter is not stored yet')
  await lab.page.evaluate('window.notReloaded = true; window.scrollTo(0, 160)')
  lab.box.runProcess(['save', 'The counter is stored now', '--stream', 'passkeys'])
  const start = performance.now()
  await lab.see('The counter is stored now')
  expect(performance.now() - start).toBeLessThan(WITHIN_MS)
  expect(await lab.page.evaluate('window.notReloaded')).toBe(true)
  expect(await lab.page.evaluate('scrollY')).toBe(160)
})

test('a session that a hook tells of is there within a second', async () => {
  await lab.goTo('/')
  const payload = { session_id: idOf('5eed'), cwd: lab.box.repo, transcript_path: '' }
  const hear = (name: string, more: object) =>
    lab.box.hook(['claude'], { input: JSON.stringify({ ...payload, hook_event_name: name, ...more }) })
  hear('SessionStart', { source: 'startup', model: 'claude-sonnet-4-5' })
  hear('UserPromptSubmit', { prompt: 'Name the passkeys after their devices' })
  const start = performance.now()
  await lab.see('Name the passkeys after their devices')
  expect(performance.now() - start).toBeLessThan(WITHIN_MS)
})

test('a page of another origin in the same browser gets nothing', async () => {
  const hostile = createServer((_, answer) => {
    answer.setHeader('content-type', 'text/html')
    answer.end('<!doctype html><title>hostile</title><body></body>')
  })
  await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve))
  const { port } = hostile.address() as AddressInfo
  const page = await lab.context.newPage()
  try {
    for (const host of ['127.0.0.1', 'localhost']) {
      await page.goto(`http://${host}:${port}/`)
      const before = (lab.cli('show', 'passkeys', '--history') as { history?: unknown[] }).history?.length
      const got = await page.evaluate<Record<string, unknown>>(`(async () => {
        const target = ${JSON.stringify(lab.origin)}
        const ask = (path, options) => fetch(target + path, options).then(
          async (answer) => answer.type === 'opaque' ? 'opaque' : answer.status + ' ' + (await answer.text()),
          (error) => 'blocked',
        )
        const body = JSON.stringify({ workspace: 'x', input: { summary: 'hostile' } })
        const frame = document.createElement('iframe')
        frame.src = target + '/'
        document.body.append(frame)
        await new Promise((resolve) => { frame.onload = resolve; setTimeout(resolve, 3000) })
        let framed = 'blocked'
        try { framed = frame.contentDocument ? 'read' : 'blocked' } catch { framed = 'blocked' }
        const script = document.createElement('script')
        script.src = target + '/api/now'
        const loaded = new Promise((resolve) => { script.onload = () => resolve('loaded'); script.onerror = () => resolve('blocked') })
        document.body.append(script)
        const events = new EventSource(target + '/api/events', { withCredentials: true })
        const heard = new Promise((resolve) => { events.onopen = () => resolve('heard'); events.onerror = () => resolve('blocked') })
        return {
          read: await ask('/api/now', { credentials: 'include' }),
          write: await ask('/api/verbs/save', { method: 'POST', credentials: 'include', headers: { 'content-type': 'application/json' }, body }),
          form: await ask('/api/verbs/save', { method: 'POST', credentials: 'include', mode: 'no-cors', headers: { 'content-type': 'text/plain' }, body }),
          link: await ask('/link', { method: 'POST', credentials: 'include' }),
          framed, script: await loaded, events: await heard,
        }
      })()`)
      expect(got).toEqual({
        ...{ read: 'blocked', write: 'blocked', form: 'blocked', link: 'blocked' },
        ...{ framed: 'blocked', script: 'blocked', events: 'blocked' },
      })
      expect((lab.cli('show', 'passkeys', '--history') as { history?: unknown[] }).history?.length).toBe(
        before,
      )
    }
  } finally {
    await page.close()
    hostile.close()
  }
})

test('text that somebody else wrote stays text: no markup, no picture, no script of it', async () => {
  const evil =
    '<img src=x onerror="window.evil=1"> [a](javascript:window.evil=1) ![p](http://127.0.0.1:9/p.png) [b](ftp://127.0.0.1/b)'
  lab.box.runProcess(['save', evil, '--stream', 'passkeys', '--fact', evil])
  const asked: string[] = []
  lab.page.on('request', (request) => asked.push(request.url()))
  for (const place of ['/', '/brief', '/search?q=onerror', '/work']) {
    await lab.goTo(place)
    await sleep(300)
  }
  const { works } = await lab.api<{ works: Array<{ id: string; name: string }> }>('/api/works')
  await lab.goTo(`/work/${works.find(({ name }) => name === 'passkeys')?.id}`)
  await lab.see(/onerror="window.evil=1"/)
  expect(await lab.page.evaluate('window.evil')).toBeUndefined()
  expect(await lab.page.locator('.main img, .markdown a').count()).toBe(0)
  expect(asked.filter((url) => !url.startsWith(lab.origin))).toEqual([])
})

test('a browser without the link sees why, and what to type', async () => {
  const server = await startDashboard(lab.box.elsewhere('atlas-web'))
  // The second start shows the way to the first server.
  expect(new URL(server.url).origin).toBe(lab.origin)
  await lab.context.clearCookies()
  const page = await lab.context.newPage()
  await page.goto(`${lab.origin}/`)
  await page
    .getByText('This browser has not opened the link that savepoint dashboard printed.')
    .first()
    .waitFor()
  await page.goto(server.url)
  await page.getByRole('article', { name: 'atlas-api' }).waitFor()
  await page.close()
})

test('when the server ends the page says so, and keeps what it shows', async () => {
  await lab.goTo('/')
  await lab.see('atlas-api')
  process.kill(lab.pid, 'SIGTERM')
  await lab.see('Server ended')
  await lab.see('atlas-api')
})
