// What checkpoint documents cost: looking over two thousand of them, and adding to a large one.
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '../scripts/setup.mjs'
import { writeDurably } from './bare-protocol.mjs'
import { inTempFolder, interleaved, median, row, timed } from './measure.mjs'

const STREAMS = 2_000
const LOOKS = 30
const DELTAS = 30
const SMALL = 2 * 1_024
const LARGE = 200 * 1_024
/** Files are believed by their times only once these are older than a file system's clock may be coarse. */
const SETTLING_MS = 300

/** Every limit, measured in one go. */
export async function measure() {
  const looks = await inTempFolder(costOfLooking)
  return [...looks, await inTempFolder(costOfSize)]
}

async function costOfLooking(place) {
  const documents = Array.from({ length: STREAMS }, (_, number) => [
    `stream-${number}`,
    shortDocument(number),
  ])
  const { node, savepoint } = await repositoryWith(place, documents)
  const rows = []
  for (const verb of ['list', 'tree']) {
    const { measured, against } = await interleaved(LOOKS, {
      measured: () => timed(() => savepoint(verb)),
      against: () => timed(() => node('-e', '0')),
    })
    const what = `savepoint ${verb} over ${STREAMS} streams / node -e 0`
    rows.push(row(what, median(measured), median(against), 3))
  }
  return rows
}

/** Each document is added to once, so that all rounds meet the same sizes. */
async function costOfSize(place) {
  const small = Array.from({ length: DELTAS }, (_, number) => [`small-${number}`, longDocument(SMALL)])
  const large = Array.from({ length: DELTAS }, (_, number) => [`large-${number}`, longDocument(LARGE)])
  const { savepoint } = await repositoryWith(place, [...small, ...large])
  const delta = (names) => {
    const [name] = names.shift()
    return timed(() => savepoint('delta', name, '--what', 'The limits are measured'))
  }
  const bytes = Buffer.from(longDocument(LARGE))
  const bare = join(place, 'bare')
  mkdirSync(bare)
  const writes = []
  const { measured, against } = await interleaved(DELTAS, {
    measured: async () => {
      writes.push(await timed(() => writeDurably(bare, 'large.md', bytes)))
      return delta(large)
    },
    against: () => delta(small),
  })
  const what = `delta on ${LARGE / 1_024} KB, less its bare write / on ${SMALL / 1_024} KB`
  return row(what, median(measured) - median(writes), median(against), 1.5)
}

/** A trusted repository with these documents committed, and nothing left to take in. */
async function repositoryWith(place, documents) {
  const repo = join(place, 'work')
  const folder = join(repo, 'checkpoints/active')
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of documents)
    writeFileSync(
      join(folder, `${name}.md`),
      text.replace('NAME', () => name),
    )
  const identity = { GIT_AUTHOR_NAME: 'Bench', GIT_AUTHOR_EMAIL: 'bench@example.com' }
  const env = {
    ...process.env,
    ...{ SAVEPOINT_HOME: join(place, 'home'), XDG_CONFIG_HOME: join(place, 'config') },
    ...{ GIT_CONFIG_GLOBAL: join(place, 'gitconfig'), GIT_CONFIG_NOSYSTEM: '1' },
    ...{ ...identity, GIT_COMMITTER_NAME: 'Bench', GIT_COMMITTER_EMAIL: 'bench@example.com' },
  }
  const run = (program, args) => {
    const { status, stdout, stderr } = spawnSync(program, args, {
      ...{ cwd: repo, env, encoding: 'utf8', maxBuffer: 64 * 1_024 * 1_024 },
    })
    if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}\n${stderr}`)
    return stdout
  }
  const node = (...args) => run(process.execPath, args)
  const savepoint = (...args) => node(join(root, 'dist/cli.cjs'), ...args)
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
    ['commit', '-qm', 'Documents'],
  ])
    run('git', args)
  savepoint('trust')
  await sleep(SETTLING_MS)
  const found = JSON.parse(savepoint('list', '--json')).documents.length
  if (found !== documents.length) throw new Error(`${found} documents are listed, not ${documents.length}`)
  return { node, savepoint }
}

const head = (parent) => `---
checkpoint: NAME
created: 2026-01-02T03:04:05Z
${parent === null ? '' : `parent: ${parent}\n`}---

## Problem

`

/** Two thirds of them have a parent: some long chains, and many families. */
function shortDocument(number) {
  const parent = number % 3 === 0 ? null : `stream-${number >> 1}`
  const date = String((number % 28) + 1).padStart(2, '0')
  return `${head(parent).replace('01-02', `01-${date}`)}Problem ${number} is that its parts do not meet.

### Next Actions

- Join part ${number}
`
}

/** A document that grew by one delta after the other. */
function longDocument(bytes) {
  let text = `${head(null)}The document is long.\n`
  for (let number = 0; text.length < bytes; number += 1)
    text += `
---

## Delta: 2026-01-02T03:04:05Z

### What Changed

Step ${number} of the migration is through.

### Artifacts

| File | Action | Description |
|------|--------|-------------|
| \`src/step-${number}.ts\` | modified | The new way |
`
  return text
}
