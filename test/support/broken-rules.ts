import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

const MAX_LENGTH = 240

/** The last words of a run: a line for each test that failed, with the rule it states, what was found, and where. */
export default class BrokenRules implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = modules.flatMap((module) => [...module.children.allTests('failed')].map(lineOf))
    if (lines.length > 0) console.error(`\nBroken rules:\n${lines.map((line) => `  ${line}\n`).join('')}`)
  }
}

/** `a save keeps its words [001.2]: expected 4 to be 0 (test/cli/save.test.ts:12: expect(code).toBe(0))` */
function lineOf(test: TestCase): string {
  const [error] = test.result().errors ?? []
  const path = relative(process.cwd(), test.module.moduleId)
  const at = error?.stacks?.find(({ file }) => file === test.module.moduleId) ?? error?.stacks?.[0]
  const found = oneLine(error?.message ?? 'it did not end')
  const where = at ? `${relative(process.cwd(), at.file)}:${at.line}: ${sourceLine(at.file, at.line)}` : path
  return `${test.fullName}: ${found} (${where})`
}

const oneLine = (text: string) => text.split('\n')[0]?.slice(0, MAX_LENGTH) ?? ''

function sourceLine(file: string, line: number): string {
  return oneLine(readFileSync(file, 'utf8').split('\n')[line - 1]?.trim() ?? '')
}
