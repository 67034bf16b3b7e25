import axe from 'axe-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { SessionsPage, WorksPage } from '../../src/apps/dashboard/api.ts'
import { DashboardLab, DESK, PHONE, takePicture } from './lab.ts'

let lab: DashboardLab
let places: Record<string, string>

beforeAll(async () => {
  lab = await DashboardLab.open(true)
  await lab.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: lab.origin })
  const { works } = await lab.api<WorksPage>('/api/works')
  const { sessions } = await lab.api<SessionsPage>('/api/sessions')
  const work = works.find(({ name }) => name === 'passkeys')?.id
  const session = encodeURIComponent(sessions[0]?.key ?? '')
  places = {
    now: '/',
    work: `/work/${work}`,
    deltas: `/work/${work}?tab=deltas`,
    compare: `/work/${work}?tab=compare&from=1`,
    claims: `/work/${work}?tab=claims`,
    tree: '/work',
    sessions: '/sessions',
    session: `/sessions/${session}`,
    runs: '/runs',
    brief: '/brief',
    search: '/search?q=passkey',
    learnings: '/learnings',
  }
})

afterAll(() => lab.close())

afterEach(() => {
  expect(lab.complaints.splice(0)).toEqual([])
})

const go = async (name: string) => lab.goTo(places[name] ?? '/')

describe('every page tells what is there', () => {
  test('Now: work with now, next and blockers, sessions with the gauge of their window', async () => {
    await go('now')
    const repository = lab.page.getByRole('article', { name: 'atlas-api' })
    await lab.see('The assertion is verified; the counter is not stored yet', repository)
    await lab.see('Store the signature counter and refuse one that goes back', repository)
    await lab.see('Staging has no HTTPS, so no browser offers a passkey there', repository)
    await lab.see(/Since the last save: /, repository)
    const gauge = lab.page.getByRole('meter').first()
    expect(await gauge.getAttribute('aria-valuetext')).toBe('63 % of 200k tokens')
    expect(await gauge.locator('.gauge-mark').count()).toBe(2)
    await lab.see(/silent for \d h/)
  })

  test('Work: the tree with its forks, a document, its history and a comparison', async () => {
    await go('tree')
    await lab.page.getByRole('treeitem', { name: /passkeys-autofill/ }).waitFor()
    expect(await lab.page.locator('.tree-link').count()).toBe(4)
    // The work of a branch that was merged points to the work that goes on with it.
    await lab.page.getByRole('treeitem', { name: /feature-audit-log.*merged/ }).waitFor()
    expect(await lab.page.locator('.tree-merge').count()).toBe(1)
    await lab.page.getByRole('checkbox', { name: /Archived/ }).uncheck()
    await expect.poll(() => lab.page.getByRole('treeitem', { name: /auth-totp/ }).count()).toBe(0)
    await lab.page
      .getByRole('treeitem', { name: /^passkeys/ })
      .first()
      .click()
    await lab.page.getByRole('heading', { name: 'passkeys', exact: true }).waitFor()
    await lab.see('Passwords are reused and phished. A passkey can be neither.')
    await lab.page.getByRole('slider', { name: 'History' }).press('Home')
    await lab.see('This is passkeys as it was at #1.')
    await lab.button('What changed since').click()
    await lab.page.locator('.diff-row.is-added').first().waitFor()
    await go('deltas')
    await lab.see(/Registration works end to end/)
  })

  test('Sessions: a timeline with lanes, a filter by branch, one session with its talk', async () => {
    await go('sessions')
    await lab.page.locator('.bar').first().waitFor()
    const lanes = await lab.page.locator('.lane').count()
    await lab.page.getByLabel('Branch', { exact: true }).selectOption('fix/rate-limit')
    await expect.poll(() => lab.page.locator('.lane').count()).toBeLessThan(lanes)
    await lab.goTo('/sessions')
    await lab.page.getByLabel('Outcome', { exact: true }).selectOption('Sign-in')
    await lab.see('7 match')
    await go('session')
    await lab.see('Verify the assertion, with a test for a counter that goes back')
    await lab.see('Store the signature counter')
    await lab.page.locator('.window-chart canvas').waitFor()
    await lab.see('1 save')
  })

  test('Runs: steps with their states, snapshots, commands with outcomes', async () => {
    await go('runs')
    await lab.page.getByRole('link', { name: /nightly-212/ }).click()
    await lab.see('Integration tests: 2 of 214 failed')
    await lab.page.getByRole('link', { name: /release-2.5/ }).click()
    await lab.see('Migrate staging')
    await expect.poll(() => lab.page.locator('.strip-step.is-done').count()).toBe(3)
    expect(await lab.page.locator('.snapshot').count()).toBeGreaterThan(4)
    await lab.see('fail')
  })

  test('Brief: exactly the words of the command line, and a smaller budget cuts', async () => {
    await go('brief')
    await lab.see(/of 1,500/)
    await lab.button('As told').click()
    const told = await lab.page.locator('.brief-text').textContent()
    const { text } = lab.cli('resume') as { text: string }
    // Ages go on while the test runs.
    const withoutAges = (words: string) => words.replace(/(less than a|\d+) (second|minute|hour)s?/g, '<age>')
    expect(withoutAges(told ?? '')).toBe(withoutAges(text))
    await lab.button('Line by line').click()
    await lab.page.getByRole('slider', { name: 'Token budget' }).press('Home')
    await lab.see(/of 200/)
    await lab.page.locator('.brief-line.is-cut').first().waitFor()
  })

  test('Search answers while typing, and Enter opens what is chosen', async () => {
    await lab.goTo('/search')
    await lab.page.getByPlaceholder(/Words of a decision/).fill('vendor SD')
    await lab.page.getByRole('option').first().waitFor()
    await lab.see(/\d+ hits?/)
    await lab.page.keyboard.press('ArrowDown')
    await lab.page.keyboard.press('ArrowUp')
    await lab.page.keyboard.press('Enter')
    await expect.poll(() => lab.page.url()).toMatch(/#\/(work|sessions)\//)
  })

  test('Learnings narrow while typing', async () => {
    await go('learnings')
    await lab.see('The clocks of phones drift by up to 90 s: accept one step on each side')
    await lab.page.getByPlaceholder(/^Filter/).fill('recovery')
    await expect.poll(() => lab.page.locator('.learning-list li').count()).toBe(1)
  })
})

test('everything is reached by keyboard: pages, the palette, the tree', async () => {
  await go('now')
  await lab.page.locator('body').press('g')
  await lab.page.keyboard.press('w')
  await expect.poll(() => lab.page.url()).toContain('#/work')
  await lab.page.getByRole('tree').focus()
  await lab.page.keyboard.press('ArrowDown')
  await lab.page.keyboard.press('ArrowDown')
  await lab.page.getByRole('tab', { name: 'Document' }).waitFor()
  await lab.page.keyboard.press('Control+k')
  await lab.page.getByRole('combobox', { name: /Find work/ }).fill('settings')
  await lab.page
    .getByRole('option', { name: /settings-flicker/ })
    .first()
    .waitFor()
  await lab.page.keyboard.press('Enter')
  await lab.page.getByRole('heading', { name: 'settings-flicker' }).waitFor()
  // It is of another repository: that tree is beside it.
  await lab.page.locator('[role=treeitem][aria-selected=true]', { hasText: 'settings-flicker' }).waitFor()
  await lab.page.keyboard.press('?')
  await lab.page.getByRole('dialog', { name: 'Keys' }).waitFor()
  await lab.page.keyboard.press('Escape')
  await expect.poll(() => lab.page.getByRole('dialog').count()).toBe(0)
})

interface Finding {
  id: string
  nodes: Array<{ html: string; failureSummary: string }>
}

/** What the automated check of accessibility finds. It is put in by the debugger: the policy of the page allows no script but its own. */
async function findFlaws(): Promise<string[]> {
  await lab.page.evaluate(axe.source)
  const findings = await lab.page.evaluate<Finding[]>(
    'axe.run(document).then(({ violations }) => violations)',
  )
  return findings.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}

/** Pictures that docs/dashboard.md shows. */
const KEPT = new Set([
  'now-desk-light',
  'work-desk-dark',
  'sessions-desk-dark',
  'session-desk-light',
  'runs-desk-light',
  'brief-desk-light',
  'now-phone-dark',
])

describe.each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
  test.each([
    ['desk', DESK],
    ['phone', PHONE],
  ] as const)(
    'an automated check finds nothing on any page (%s)',
    { timeout: 300_000 },
    async (screen, size) => {
      await lab.page.emulateMedia({ colorScheme })
      await lab.page.setViewportSize(size)
      for (const name of Object.keys(places)) {
        await lab.goTo('/learnings')
        await go(name)
        await lab.page.getByRole('heading').filter({ visible: true }).first().waitFor()
        await expect.poll(() => lab.page.locator('.loading').filter({ visible: true }).count()).toBe(0)
        if (name === 'search') await lab.page.locator('.hit').first().waitFor()
        const picture = `${name}-${screen}-${colorScheme}`
        await takePicture(lab.page, picture, { kept: KEPT.has(picture) })
        expect(await findFlaws(), picture).toEqual([])
        const overflow = await lab.page.evaluate('document.documentElement.scrollWidth - innerWidth')
        expect(overflow, `${picture} is wider than the screen`).toBeLessThanOrEqual(0)
      }
      await lab.page.setViewportSize(DESK)
    },
  )
})
