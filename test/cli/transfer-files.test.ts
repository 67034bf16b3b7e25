import { spawnSync } from 'node:child_process'
import { lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { cliPath, type Sandbox, sandbox } from '../support/sandbox.ts'
import { refusal } from './document-lab.ts'
import { fileIn } from './transfer-lab.ts'

describe('what is no plain file', () => {
  function withPipe(): { box: Sandbox; pipe: string } {
    const box = sandbox()
    box.json(['save', 'One'])
    const pipe = fileIn(box, 'pipe')
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0)
    return { box, pipe }
  }

  test('is not read as a backup, nor waited for', () => {
    const { box, pipe } = withPipe()
    for (const words of [['--dry-run'], []]) {
      const done = spawnSync(process.execPath, [cliPath, 'backup', '--restore', pipe, ...words], {
        ...{ cwd: box.repo, env: box.env, encoding: 'utf8', timeout: 20_000 },
      })
      expect(done.signal).toBeNull()
      expect(done.stderr).toContain('it is not a file')
    }
    expect(refusal(box, 'backup', '--restore', fileIn(box, 'missing.db')).reason).toBe('file_unknown')
  })

  test('is not replaced by an export, with --force neither', () => {
    const { box, pipe } = withPipe()
    const link = fileIn(box, 'link.gz')
    writeFileSync(fileIn(box, 'target.gz'), 'mine')
    symlinkSync(fileIn(box, 'target.gz'), link)
    for (const path of [pipe, link, box.repo])
      for (const words of [['--force'], []])
        expect(refusal(box, 'export', path, ...words), path).toMatchObject({ reason: 'usage_invalid' })
    expect(lstatSync(pipe).isFIFO()).toBe(true)
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(readFileSync(fileIn(box, 'target.gz'), 'utf8')).toBe('mine')
  })
})

test.each([[''], [' --json']])('an export whose output fails is not said to be done%s', (more) => {
  const box = sandbox()
  box.json(['save', 'One'])
  writeFileSync(fileIn(box, 'out.gz'), '')
  // The standard output is open for reading alone: every write to it fails.
  const shell = `exec '${process.execPath}' '${cliPath}' export -${more} 1< '${fileIn(box, 'out.gz')}'`
  const done = spawnSync('sh', ['-c', shell], { cwd: box.repo, env: box.env, encoding: 'utf8' })
  expect(done.status).toBe(5)
  expect(done.stderr).toMatch(
    more === '' ? /Could not write the export: .*EBADF/ : /Could not write the output: .*EBADF/,
  )
  expect(done.stderr).not.toMatch(/Exported|is done|run show/)
})

test('a file that --skip-damaged cannot help is refused with what helps', () => {
  const box = sandbox()
  box.json(['save', 'One'])
  expect(refusal(box, 'import', '--skip-damaged', fileIn(box, 'missing.gz'))).toMatchObject({
    reason: 'file_unknown',
  })
  const header = '{"savepoint":"export","version":1,"createdAt":"2026-01-01T00:00:00.000Z"}\n'
  writeFileSync(fileIn(box, 'large.gz'), gzipSync(header + ' '.repeat(65 * 1024 * 1024), { level: 1 }))
  for (const words of [[], ['--skip-damaged']]) {
    const { reason, hint } = refusal(box, 'import', fileIn(box, 'large.gz'), ...words)
    expect(reason).toBe('export_unusable')
    expect(hint).not.toContain('--skip-damaged')
  }
})
