import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../support/sandbox.ts'

/** The pages behind the slash commands that two of the formats name. */
const PAGES = {
  '/checkpoint': 'commands/checkpoint.md',
  '/dashboard': 'savepoint/skills/dashboard/SKILL.md',
  '/context:info': 'context/commands/info.md',
  '/context:checkpoint': 'context/commands/checkpoint.md',
  '/context:compact': 'context/commands/compact.md',
  '/context:budget': 'context/commands/budget.md',
} as const

export const slashPage = (name: keyof typeof PAGES) =>
  readFileSync(join(projectRoot, 'plugins', 'claude', PAGES[name]), 'utf8')

/** The command line that the page of a slash command runs, its blanks filled in one after another. */
export function slashCommand(name: keyof typeof PAGES, blanks: readonly string[] = []): string[] {
  const [, words = ''] = /^Without the tools?:.*`savepoint ([^`]*)`\.$/m.exec(slashPage(name)) ?? []
  const left = [...blanks]
  return [...words.matchAll(/"([^"]*)"|(\S+)/g)].map(([, blank, word]) =>
    blank === undefined ? (word ?? '') : (left.shift() ?? blank),
  )
}
