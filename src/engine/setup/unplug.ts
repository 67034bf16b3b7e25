import { isMalformed, readFacts } from '../../agents/claude/settings.ts'
import type { Context } from '../context/context.ts'
import type { Change } from './change.ts'
import { isNamedElsewhere, isOurMarket } from './market.ts'
import {
  MARKET_REMOVAL,
  marketReaders,
  type Ran,
  ranChange,
  runAll,
  typed,
  uninstalling,
} from './plugin-commands.ts'
import { copyFolder, dropCopy } from './plugin-copy.ts'
import { setupOf } from './remember.ts'
import { readSettingsFile } from './settings-file.ts'
import type { Place } from './take-out.ts'

/** What the client did not do, and what a person types to have it done. */
export interface Stuck {
  problem: string
  typed: string[]
}

/** The commands that take our plugins out of one settings file; none where it does not name them. */
export function pluginsToRemove(context: Context, { scope, path, root }: Place): string[][] {
  const file = readSettingsFile(path, root)
  const facts = readFacts(file.text)
  const isOurs = setupOf(context.home.path, file.target)?.plugin === true || isOurMarket(context)
  return isOurs && !isMalformed(facts) ? uninstalling(facts.plugins, scope) : []
}

/** Lets the client take our plugins out of one place. */
export async function unplug(context: Context, place: Place): Promise<Ran & { stuck: Stuck | null }> {
  const commands = pluginsToRemove(context, place)
  const ran = await runAll(context, commands, place.root)
  const left = commands.slice(ran.changes.length)
  return { ...ran, stuck: ran.problem === null ? null : { problem: ran.problem, typed: typed(left) } }
}

/** The marketplace and the copy, once the client has nothing from it any more. */
export async function closeMarket(context: Context): Promise<{ changes: Change[]; stuck: Stuck | null }> {
  const { home } = context
  const changes: Change[] = []
  const isOurs = isOurMarket(context)
  if (!isOurs && !dropCopy(home.path, { dryRun: true })) return { changes, stuck: null }
  const readers = await marketReaders(context, isOurs ? null : copyFolder(home.path))
  // A client that does not say what it has may have something from there, as long as its settings name it.
  if (isNamedElsewhere(context) || (readers === null ? isOurs : readers.length > 0)) {
    context.notices.push(stillRead(context, readers ?? []))
    return { changes, stuck: null }
  }
  if (isOurs) {
    const ran = await runAll(context, [MARKET_REMOVAL], null)
    changes.push(...ran.changes)
    if (ran.problem !== null)
      return { changes, stuck: { problem: ran.problem, typed: typed([MARKET_REMOVAL]) } }
  }
  if (dropCopy(home.path)) changes.push(copyGone(context))
  return { changes, stuck: null }
}

const stillRead = ({ home }: Context, readers: readonly string[]) =>
  `${copyFolder(home.path)} stays, with what it starts: Claude Code may still read plugins from it${readers.length > 0 ? `, for ${readers.join(', ')}` : ''}.`

const copyGone = ({ home }: Context): Change => ({
  path: copyFolder(home.path),
  what: 'removed',
  about: 'nobody reads it any more',
  diff: null,
})

/** What `closeMarket` would do, as far as settings tell: nothing is run to find out. */
export const marketAhead = (context: Context): Change[] => [
  ...(isOurMarket(context) ? [ranChange(MARKET_REMOVAL)] : []),
  ...(dropCopy(context.home.path, { dryRun: true }) ? [copyGone(context)] : []),
]
