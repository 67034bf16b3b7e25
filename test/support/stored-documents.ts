import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { realPorts as ports } from '../../src/apps/process/real-ports.ts'
import { sha256 } from '../../src/core/canonical.ts'
import { type Context, openContext, settleIdentity } from '../../src/engine/context/context.ts'
import type { Sandbox } from './sandbox.ts'

/** Looks into a sandbox's store without changing it, or works on it as a command would. */
export async function inStore<R>(
  box: Sandbox,
  act: (context: Context) => Promise<R>,
  access: 'read' | 'write' = 'read',
): Promise<R> {
  const context = await openContext({ cwd: box.repo, env: box.env, ports, access })
  try {
    context.identity = await settleIdentity(context, access)
    return await act(context)
  } finally {
    await context.store.close()
  }
}

/** The first trigger's note of each checkpoint of a stream, oldest first: `begun`, `delta`, `archived`, … */
export const notesOf = (box: Sandbox, name: string): Promise<string[]> =>
  inStore(box, async ({ store, identity }) => {
    const stream = await store.log.findStream(identity.repository, name, 'work')
    const rows = stream === null ? [] : await store.log.readHistory(stream.id)
    const all = await Promise.all(rows.map(({ id }) => store.log.readCheckpoint(id)))
    return all.map((stored) =>
      stored?.state === 'whole' ? (stored.checkpoint.triggers[0]?.note ?? '') : '?',
    )
  })

const TEMP = /savepoint-tmp$/

/** Everything below `checkpoints/`, by its path there; files that a writer left are under `temps`. */
export function filesOf(box: Sandbox): { texts: Map<string, string>; temps: string[] } {
  const texts = new Map<string, string>()
  const temps: string[] = []
  for (const folder of ['.', 'active', 'archive']) {
    const at = box.path('checkpoints', folder)
    for (const entry of existing(at)) {
      if (!entry.isFile()) continue
      const path = join(folder, entry.name)
      if (TEMP.test(entry.name)) temps.push(path)
      else texts.set(path, readFileSync(join(at, entry.name), 'utf8'))
    }
  }
  return { texts, temps }
}

function existing(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

/** Where the store and the disk of a workspace say different things. */
export const disagreements = (box: Sandbox): Promise<string[]> =>
  inStore(box, async ({ store, identity }) => {
    const { texts } = filesOf(box)
    const rows = await store.acts.listWork(identity.repository, identity.workspace)
    const wrong = rows.flatMap(({ stream, view }) => {
      if (view === null) return [`${stream.name} has no document here`]
      const text = texts.get(view.path.replace(/^checkpoints\//, ''))
      if (text === undefined) return [`${view.path} is not there`]
      return sha256(text) === view.hash ? [] : [`${view.path} is not what the store has`]
    })
    const open = [...texts].filter(([path]) => path.startsWith('active/'))
    const currents = open.filter(([, text]) => /^status: current$/m.test(text)).map(([path]) => path)
    const focused = rows.filter((row) => row.focused).map(({ stream }) => `active/${stream.name}.md`)
    if (currents.join() !== focused.join())
      wrong.push(`the store has ${focused} in focus, the files ${currents}`)
    const owed = await store.local.listOwedViews(identity.workspace)
    return [...wrong, ...owed.map(({ path, state }) => `${path} is ${state}`)]
  })
