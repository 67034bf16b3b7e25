import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { NowPage, WorkPage, WorksPage } from '../../src/apps/dashboard/api.ts'
import { DashboardLab } from './lab.ts'

let lab: DashboardLab

beforeAll(async () => {
  lab = await DashboardLab.open(true)
  await lab.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: lab.origin })
})

afterAll(() => lab.close())

afterEach(async () => {
  // What was refused is a line of the browser's own log as well; nothing else may be there.
  expect(
    lab.complaints.splice(0).filter((line) => !/the server responded with a status of 4\d\d/.test(line)),
  ).toEqual([])
})

const nodeOf = async (name: string) => {
  const { works } = await lab.api<WorksPage>('/api/works')
  return works.find((work) => work.name === name)
}

async function openWork(name: string, tab = ''): Promise<void> {
  await lab.goTo(`/work/${(await nodeOf(name))?.id}${tab}`)
  await lab.page.getByRole('heading', { name, exact: true }).waitFor()
}

const toast = (words: string | RegExp) => lab.see(words, lab.page.locator('.toasts'))

/** Fills the fields of the open dialog and sends it. */
async function answerDialog(fields: Record<string, string>, confirm: string): Promise<void> {
  const dialog = lab.page.getByRole('dialog')
  for (const [label, value] of Object.entries(fields))
    await dialog.getByLabel(label, { exact: true }).fill(value)
  await dialog.getByRole('button', { name: confirm, exact: true }).click()
}

test('save: what is typed is in the work, and the receipt is that of the command line', async () => {
  await openWork('passkeys')
  await lab.button('Save').click()
  await answerDialog({ Summary: 'The counter is stored', Next: 'Name a passkey\nRemove a passkey' }, 'Save')
  await toast(/^Saved passkeys #\d+: The counter is stored$/)
  const { work } = lab.cli('resume', 'passkeys') as { work: { now: string; next: Array<{ text: string }> } }
  expect(work.now).toBe('The counter is stored')
  expect(work.next.map(({ text }) => text)).toEqual(['Name a passkey', 'Remove a passkey'])
})

test('undo takes it back', async () => {
  await openWork('passkeys')
  await lab.button('Undo').click()
  await toast(/[Uu]ndid|Undone/)
  const { work } = lab.cli('resume', 'passkeys') as { work: { now: string } }
  expect(work.now).toBe('The assertion is verified; the counter is not stored yet')
})

test('focus, and focus back', async () => {
  await openWork('passkeys-autofill')
  await lab.button('Focus').click()
  await expect.poll(async () => (await nodeOf('passkeys-autofill'))?.standing).toBe('focused')
  await lab.page.locator('.detail .chip', { hasText: 'focused' }).waitFor()
  expect(lab.cli('focus')).toMatchObject({ id: 'passkeys-autofill' })
  lab.cli('focus', 'passkeys')
  // What the command line did is on the page without a reload.
  await lab.button('Focus').waitFor()
})

test('what is typed goes to the work that it was meant for, though another is in its place by then', async () => {
  await lab.goTo('/')
  const shown = (name: string) =>
    lab.page.locator('.work-full').filter({ has: lab.page.getByRole('heading', { name, exact: true }) })
  await shown('passkeys').getByRole('button', { name: 'Save', exact: true }).click()
  lab.cli('focus', 'rate-limit')
  await shown('rate-limit').waitFor({ state: 'attached' })
  await lab.page.getByRole('dialog', { name: 'Save passkeys', exact: true }).waitFor()
  await answerDialog({ Summary: 'Meant for passkeys' }, 'Save')
  await toast(/^Saved passkeys #\d+: Meant for passkeys$/)
  lab.cli('undo')
  lab.cli('focus', 'passkeys')
})

test('fork: the tree has the new work below its parent', async () => {
  await openWork('rate-limit')
  await lab.button('Fork').click()
  await answerDialog({ 'Name of the new work': 'rate-limit-token-bucket' }, 'Fork')
  await lab.page.getByRole('treeitem', { name: /rate-limit-token-bucket/ }).waitFor()
  expect((await nodeOf('rate-limit-token-bucket'))?.parent).toBe((await nodeOf('rate-limit'))?.id)
})

test('a refusal has the message and the hint of the command line, and nothing typed is lost', async () => {
  await openWork('rate-limit')
  await lab.button('Fork').click()
  await answerDialog({ 'Name of the new work': 'passkeys' }, 'Fork')
  const refused = JSON.parse(lab.box.run(['fork', 'rate-limit', 'passkeys', '--json']).stdout)
  const note = lab.page.getByRole('dialog').getByRole('alert')
  await lab.see(refused.message, note)
  await lab.see(refused.hint, note)
  expect(await lab.page.getByLabel('Name of the new work').inputValue()).toBe('passkeys')
  await lab.page.keyboard.press('Escape')
})

test('archive, with its outcome and what it taught; restore opens it again', async () => {
  await openWork('rate-limit-redis')
  await lab.button('Archive').click()
  await answerDialog(
    { Outcome: 'Redis was tried and left', Learnings: 'Measure before you move a counter' },
    'Archive',
  )
  await expect.poll(async () => (await nodeOf('rate-limit-redis'))?.standing).toBe('archived')
  await lab.goTo('/learnings')
  await lab.see('Measure before you move a counter')
  await openWork('rate-limit-redis')
  await lab.button('Restore').click()
  await expect.poll(async () => (await nodeOf('rate-limit-redis'))?.standing).toBe('open')
})

test('hand off writes a document', async () => {
  await openWork('passkeys')
  await lab.button('Hand off').click()
  await answerDialog({ Purpose: 'Grace takes over the migration' }, 'Hand off')
  await toast(/\.agents\/handoffs\//)
})

test('claims are confirmed, reworded and rejected where they stand in the brief', async () => {
  await lab.goTo('/brief')
  await lab.button('Confirm: Never log a credential id').click()
  await toast(/[Cc]onfirmed/)
  await expect
    .poll(() => lab.page.getByRole('button', { name: 'Confirm: Never log a credential id' }).count())
    .toBe(0)
  await lab.button('Reword: Never log a credential id').click()
  await answerDialog({ 'New words': 'Never log a credential id or a user handle' }, 'Reword')
  await lab.see('Never log a credential id or a user handle', lab.page.locator('.brief-lines'))
  await lab.button('Reject: The session cookie stays as it is').click()
  await answerDialog({ 'Why not': 'It gets the SameSite flag' }, 'Reject')
  await toast(/[Rr]ejected/)
  const id = (await nodeOf('passkeys'))?.id
  const { items } = await lab.api<WorkPage>(`/api/works/${id}`)
  expect(items.map(({ text }) => text)).not.toContain('The session cookie stays as it is')
})

test('the brief is copied as it is told', async () => {
  await lab.goTo('/brief')
  await lab.button('Copy brief').click()
  await toast('Brief copied')
  const copied = await lab.page.evaluate<string>('navigator.clipboard.readText()')
  expect(copied).toMatch(/^<savepoint> Saved state of passkeys/)
})

test('reconcile: the silent session is in the history, and what it wrote is saved', async () => {
  await lab.goTo('/')
  await lab.button('Reconcile').click()
  await expect
    .poll(async () => (await lab.api<NowPage>('/api/now')).sessions.map(({ phase }) => phase))
    .toEqual(['active'])
  await expect.poll(() => lab.page.getByText(/silent for/).count()).toBe(0)
})

test('a run is verified, paused and pruned', async () => {
  await lab.goTo('/runs')
  await lab.page.getByRole('link', { name: /release-2.5/ }).click()
  await lab.button('Verify').click()
  await toast(lab.box.run(['run', 'verify', 'release-2.5']).stdout.trim())
  await lab.button('Pause').click()
  await lab.page.locator('.detail .chip', { hasText: 'paused' }).waitFor()
  await lab.button('Prune').click()
  await answerDialog({ 'Keep per run': '5' }, 'Prune')
  await expect.poll(() => lab.page.locator('.snapshot.is-removed').count()).toBeGreaterThan(0)
})
