import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { DashboardLab, DESK, PHONE, takePicture } from './lab.ts'

let lab: DashboardLab

beforeAll(async () => {
  lab = await DashboardLab.open(false)
})

afterAll(() => lab.close())

afterEach(() => {
  expect(lab.complaints.splice(0)).toEqual([])
})

test.each([
  ['/', 'Save your first checkpoint', 'savepoint init'],
  ['/work', 'No work yet', 'savepoint new auth-system'],
  ['/sessions', 'No session recorded yet', 'savepoint init'],
  ['/runs', 'No runs yet', 'savepoint run start plan.md --run-id release-1'],
  ['/brief', 'Nothing to tell yet', 'savepoint save'],
  ['/search', 'Type to search', 'savepoint search'],
  ['/learnings', 'No learnings yet', 'savepoint archive auth-system'],
])('where nothing is yet, %s teaches what to type', async (place, title, command) => {
  await lab.goTo(place)
  await lab.see(title)
  await lab.see(new RegExp(command.replaceAll('.', '\\.')), lab.page.locator('.main'))
  for (const [screen, size] of [
    ['desk', DESK],
    ['phone', PHONE],
  ] as const) {
    await lab.page.setViewportSize(size)
    await takePicture(lab.page, `empty${place.replace('/', '-')}-${screen}`)
  }
  await lab.page.setViewportSize(DESK)
})

test('the first save fills the page within a second', async () => {
  await lab.goTo('/')
  await lab.see('Save your first checkpoint')
  lab.box.runProcess(['save', 'Login works', '--next', 'Refresh tokens'])
  const start = performance.now()
  await lab.see('Login works')
  expect(performance.now() - start).toBeLessThan(1_000)
})
