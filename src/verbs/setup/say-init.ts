import type { Scope, StatusLine } from '../../core/agent-setup.ts'
import { clipText } from '../../core/canonical.ts'
import { ReasonError } from '../../core/reason.ts'
import { formatCount } from '../../core/text.ts'
import type { Context } from '../../engine/context/context.ts'
import type { OfferedImport } from '../../engine/import/import-sources.ts'
import type { Earlier } from '../../engine/sessions/earlier-sessions.ts'
import { hooksForAll } from '../../engine/setup/plug-in.ts'
import type { KnownPlace } from '../../engine/setup/settings-places.ts'
import type { SetupChange } from '../../engine/setup/setup-run.ts'
import { makeScreen, type Screen } from '../define/screen.ts'
import { paintDifference } from '../say/paint-difference.ts'
import { sayEarlier } from '../say/say-earlier.ts'
import { namedRows } from '../say/table.ts'

interface InitAnswer {
  label: string
  scope: Scope
  dryRun: boolean
  /** A person saw what would be done, and said no. */
  declined: boolean
  diff: boolean
  changes: SetupChange[]
  statusLine: string | null
  plugin: { problem: string | null; typed: string | null; says: string | null }
  earlier: Earlier | null
  documents: OfferedImport | null
  now: string
}

/** A question stands in a frame, on a terminal whose width is not known here. */
const QUESTION = makeScreen({ columns: 76 })

/** A person at a terminal sees all that would be done before any of it is. */
export async function isAccepted(
  { ask }: Pick<Context, 'ask'>,
  label: string,
  changes: readonly SetupChange[],
): Promise<boolean> {
  if (ask === null || changes.length === 0) return true
  const list = sayChanges(changes, QUESTION, { isDry: true })
  const [answer = ''] = await ask([`Set up ${label}:\n${list}\nContinue? (Y/n)`])
  return !/^no?$/i.test(answer.trim())
}

/** What was done or would be, and what to do next. */
export function sayInit(answer: InitAnswer, screen: Screen): string {
  const { label, scope, dryRun, changes, plugin, earlier, documents, now } = answer
  if (answer.declined) return 'Nothing changed.'
  const reason = notInstalled(plugin, label)
  const where = scope === 'user' ? 'for all projects' : 'in this repository'
  const head =
    changes.length === 0
      ? `${label} is already set up ${where}`
      : dryRun
        ? `Would set up ${label} ${where}:`
        : reason === null
          ? screen.paint('good', `Set up ${label} ${where}:`)
          : screen.paint('warn', `Prepared ${label} ${where}, but it is not set up yet:`)
  const hasDiffs = answer.diff
  return [
    head,
    ...(changes.length > 0 ? [sayChanges(changes, screen, { isDry: dryRun, hasDiffs })] : []),
    ...(reason ? [reason.message, reason.hint] : []),
    ...(earlier === null ? [] : sayEarlier(earlier, Date.parse(now), dryRun)),
    ...(documents === null ? [] : sayDocuments(documents, dryRun)),
    ...(dryRun ? [] : reason ? [] : sayNext(answer, screen)),
  ].join('\n')
}

function sayNext({ label, scope, statusLine, plugin }: InitAnswer, screen: Screen): string[] {
  const commands = [
    ['savepoint doctor', 'check that it works'],
    ['savepoint resume', 'see what the next session will be told'],
    ...(scope === 'user' ? [['savepoint trust', 'in each repository that you trust']] : []),
    ...(plugin.says === null ? [] : [[plugin.says, 'add tools, skills and slash commands']]),
    ...(statusLine?.startsWith('savepoint') ? [[statusLine, 'show the last save in the status line']] : []),
    ['savepoint uninstall', 'remove all of this'],
  ] as const
  return [
    '',
    `Next: start ${label} and work as usual. New sessions are recorded.`,
    namedRows(
      commands.map(([command = '', about = '']) => [`  ${command}`, about]),
      screen,
      'head',
    ),
    ...(statusLine === null || statusLine.startsWith('savepoint') ? [] : [statusLine]),
  ]
}

/** What other tools left here, in a line or none. A dry run does not know yet what trust would vouch for. */
function sayDocuments({ found, own, trusted, imported }: OfferedImport, dryRun: boolean): string[] {
  if (found === 0) return []
  if (imported > 0) return [`Imported ${formatCount(imported, 'document')} of other tools`]
  const way =
    own > 0 || dryRun
      ? 'savepoint import'
      : trusted
        ? 'savepoint import, then savepoint trust --review'
        : 'savepoint trust, then savepoint import'
  return [`Found ${formatCount(found, 'document')} of other tools (notes, ledger, handoffs). Import: ${way}`]
}

/** The command that adds the status line, or why it cannot be; null where there is nothing to say. */
export function sayLine(kind: StatusLine['kind'], isWanted: boolean | null, scope: Scope): string | null {
  if (kind === 'strange') return 'Status line not changed: the one in your settings is not a command'
  if (kind === 'ours' || isWanted !== null) return null
  return `savepoint init --statusline${scope === 'user' ? ' --scope user' : ''}`
}

/** The command that adds the plugin. */
export function sayOffer(places: readonly KnownPlace[], scope: Scope): string {
  const isForAll = scope === 'user' || hooksForAll(places, scope) !== null
  return `savepoint init --plugin${isForAll ? ' --scope user' : ''}`
}

export const notInstalled = (
  { problem, typed }: Pick<InitAnswer['plugin'], 'problem' | 'typed'>,
  label: string,
) =>
  problem === null ? null : new ReasonError('plugin_not_installed', { label, problem, typed: typed ?? '' })

/** What was done, and what would be. */
const WORDS: Record<SetupChange['what'], readonly [did: string, would: string]> = {
  made: ['created', 'would create'],
  changed: ['changed', 'would change'],
  removed: ['removed', 'would remove'],
  restored: ['restored', 'would restore'],
  trusted: ['trusted', 'would trust'],
  ran: ['ran', 'would run'],
}

/** A list of all hooks says no more than their first names. */
const MOST_ABOUT = 60

/** The list of paths with what becomes of each; with `hasDiffs` also line by line. */
export function sayChanges(
  changes: readonly SetupChange[],
  screen: Screen,
  { isDry, hasDiffs = false }: { isDry: boolean; hasDiffs?: boolean },
): string {
  const rows = changes.map(
    ({ path, what, about }) =>
      [
        `  ${WORDS[what][isDry ? 1 : 0]}`,
        `${path}${about ? ` (${hasDiffs ? about : clipText(about, MOST_ABOUT)})` : ''}`,
      ] as const,
  )
  const diffs = hasDiffs
    ? changes.flatMap(({ diff }) => (diff ? [paintDifference(diff, screen.paint)] : []))
    : []
  return [namedRows(rows, screen), ...diffs].join('\n')
}
