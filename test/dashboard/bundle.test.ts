import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { projectRoot } from '../support/sandbox.ts'

const FOLDER = join(projectRoot, 'dist', 'web')
const MOST_BYTES = 120 * 1024

const texts = () =>
  readdirSync(FOLDER).map((name) => ({ name, text: readFileSync(join(FOLDER, name), 'utf8') }))

test('all of the page has at most 120 KB when it is sent compressed', () => {
  const bytes = texts().reduce((sum, { text }) => sum + gzipSync(text).length, 0)
  expect(bytes).toBeLessThan(MOST_BYTES)
})

test('no file of the page asks for anything from elsewhere, or has a script or a style within it', () => {
  for (const { name, text } of texts()) {
    expect(text.match(/(?:src|href|url\()\s*=?\s*["']?(?:https?:)?\/\//g), name).toBeNull()
    if (name.endsWith('.html'))
      expect(text.match(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/g), name).toBeNull()
  }
})
