// What save and resume cost where much is stored: against a bare start of Node, and against a store with little in it.
import { readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundled, gitTime, PLAN, saveWords, seeded } from './filled.mjs'
import { inTempFolder, interleaved, median, row, timed } from './measure.mjs'

const FEW = 100
const MANY = 10_000
const ROUNDS = 40
const VERBS = ['save', 'resume']
const LIMITS = { bare: 4, few: 1.2 }

/** Every limit, measured in one go. */
export function measure() {
  return inTempFolder(async (place) => {
    const operations = await bundled(place)
    const few = await seeded(join(place, 'few'), FEW, operations)
    const many = await seeded(join(place, 'many'), MANY, operations)
    const plain = await compared('notes', few, many)
    for (const workspace of [few, many]) withDocument(workspace)
    return [...plain, ...(await compared('document, ledger and notes', few, many))]
  })
}

/** The same work with a document in focus and the ledger enabled. */
function withDocument({ repo, savepoint }) {
  writeFileSync(join(repo, '.agents.yml'), 'session:\n  ledger: true\n')
  savepoint('new', PLAN, '--current')
  const kinds = JSON.parse(savepoint(...saveWords, '--json')).views.map(
    ({ kind, state }) => `${kind} ${state}`,
  )
  for (const kind of ['document', 'ledger', 'note', 'index'])
    if (!kinds.includes(`${kind} written`)) throw new Error(`no ${kind} was written: ${kinds.join(', ')}`)
  savepoint('resume')
}

/** As after some minutes of this use: what the verbs compile in it is kept (src/apps/process/program.ts). */
function settledIn({ env, savepoint }) {
  const cache = join(env.SAVEPOINT_HOME, 'cache')
  for (const words of [saveWords, ['resume']]) savepoint(...words)
  for (const name of readdirSync(cache)) utimesSync(join(cache, name), new Date(0), new Date(0))
  for (const words of [saveWords, ['resume']]) savepoint(...words)
}

/** A save, and a resume of it, in both workspaces a round. */
async function compared(scene, few, many) {
  for (const workspace of [few, many]) settledIn(workspace)
  const git = {}
  const side = (name, workspace, words) => {
    git[name] = []
    return async () => {
      rmSync(workspace.trace, { force: true })
      const whole = await timed(() => workspace.savepoint(...words))
      const own = gitTime(workspace.trace)
      git[name].push(own)
      return whole - own
    }
  }
  const times = await interleaved(ROUNDS, {
    bare: () => timed(() => few.node('-e', '0')),
    save_few: side('save_few', few, saveWords),
    resume_few: side('resume_few', few, ['resume']),
    save_many: side('save_many', many, saveWords),
    resume_many: side('resume_many', many, ['resume']),
  })
  return VERBS.flatMap((verb) => {
    const cost = median(times[`${verb}_many`])
    const apart = `${median(git[`${verb}_many`]).toFixed(1)} ms of git apart`
    const what = `${verb} with ${scene} at ${MANY} checkpoints (${apart})`
    return [
      row(`${what} / node -e 0`, cost, median(times.bare), LIMITS.bare),
      row(`${verb} with ${scene} at ${MANY} / at ${FEW}`, cost, median(times[`${verb}_few`]), LIMITS.few),
    ]
  })
}
