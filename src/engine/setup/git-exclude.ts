import { join } from 'node:path'
import { describeError, errorCode, ReasonError } from '../../core/reason.ts'
import { runGit } from '../../workspace/git.ts'
import type { Context } from '../context/context.ts'
import { NOTICES, SETUP_CHANGES } from '../context/notices.ts'
import { readSetupFile, rewriteFile, type SetupRun, setupChange } from './setup-run.ts'

/** The line that keeps a file of a workspace out of git. */
const lineFor = (file: string) => `/${file}`

/**
 * Keeps a file out of `git status`, and gives git's exclude file where it has our line by then. Git is asked only where
 * the workspace is trusted, because it may run what its settings name: before that a dry run foretells the line.
 */
export async function hideFromGit(run: SetupRun, file: string, isTrusted: boolean): Promise<string | null> {
  const { place, notices } = run.context
  if (place.git === null) return null
  const path = join(place.git.common, 'info', 'exclude')
  const sees = isTrusted ? await askGit(run.context, file) : 'seen'
  if (sees === 'tracked') notices.push(NOTICES.settingsTracked(join(place.root, file)))
  try {
    if (sees === 'seen')
      await changeText(run, path, SETUP_CHANGES.lineAdded(lineFor(file)), (text) => {
        const gap = text === '' || text.endsWith('\n') ? '' : '\n'
        return hasLine(text, file) ? text : `${text}${gap}${lineFor(file)}\n`
      })
    // The line may be there already: a crash came before it was noted, or another worktree shares it.
    const isOurs =
      sees === 'seen' || (sees === 'ignored' && hasLine(textIn(readSetupFile({ path, root: null })), file))
    return isOurs ? path : null
  } catch (error) {
    // Git's folder may be closed to us: that hurts nobody.
    if (!(error instanceof ReasonError) && errorCode(error) === undefined) throw error
    notices.push(NOTICES.settingsNotHidden(file, describeError(error)))
    return null
  }
}

async function askGit({ place }: Context, file: string): Promise<'ignored' | 'tracked' | 'seen'> {
  if ((await runGit(place, ['ls-files', '--error-unmatch', '--', file])).ok) return 'tracked'
  // This command knows no literal paths, and fails where all paths are to be taken so.
  const asked = ['--no-literal-pathspecs', 'check-ignore', '--quiet', '--', file]
  return (await runGit(place, asked)).ok ? 'ignored' : 'seen'
}

/** Takes the line out again, where it is still there. */
export const showToGit = (run: SetupRun, path: string, file: string) =>
  changeText(run, path, SETUP_CHANGES.lineRemoved(lineFor(file)), (text) => {
    const lines = text.split(/(?<=\n)/)
    const at = lines.findLastIndex((line) => line.replace(/\r?\n$/, '') === lineFor(file))
    return at === -1 ? text : lines.toSpliced(at, 1).join('')
  })

const changeText = (run: SetupRun, path: string, about: string, change: (text: string) => string) =>
  rewriteFile(run, { path, root: null }, (file) => {
    const text = textIn(file)
    const made = change(text)
    return {
      bytes: Buffer.from(made, 'latin1'),
      change: made === text ? null : setupChange('changed', path, about),
    }
  })

/** One character a byte: the file need not be text. */
const textIn = ({ bytes }: { bytes: Buffer | null }) => bytes?.toString('latin1') ?? ''

const hasLine = (text: string, file: string) => text.split(/\r?\n/).includes(lineFor(file))
