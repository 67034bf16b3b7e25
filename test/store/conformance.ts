import { describe } from 'vitest'
import { provesActs } from './conformance/acts.ts'
import { provesAwkwardTexts } from './conformance/awkward-texts.ts'
import { provesChanges } from './conformance/changes.ts'
import { provesDocuments } from './conformance/documents.ts'
import { provesFile } from './conformance/file.ts'
import { provesGlances } from './conformance/glances.ts'
import { provesKeeping } from './conformance/keeping.ts'
import { provesLocks } from './conformance/locks.ts'
import { provesLogKeeping, provesLogStreams } from './conformance/log-streams.ts'
import { provesTexts, provesUnread } from './conformance/log-texts.ts'
import { provesMoving, provesRepositories } from './conformance/moving.ts'
import { provesSearch } from './conformance/search.ts'
import { provesSessions } from './conformance/sessions.ts'
import { provesStreams } from './conformance/streams.ts'
import { provesTrust } from './conformance/trust.ts'
import { provesViews } from './conformance/views.ts'
import type { OpenActs, OpenFile, OpenLocalState, OpenLog, OpenStore } from './subjects.ts'

/*
 * What every store must do, whatever holds it: one suite for each interface, which knows the interface alone.
 * Another engine joins by one more call, with a function that opens a fresh one.
 */

export const logConformance = (name: string, open: OpenLog) =>
  describe(`log: ${name}`, () => {
    provesLogStreams(open)
    provesLogKeeping(open)
    provesTexts(open)
    provesUnread(open)
    provesMoving(open)
    provesSessions(open)
  })

export const localStateConformance = (name: string, open: OpenLocalState) =>
  describe(`local state: ${name}`, () => {
    provesTrust(open)
    provesRepositories(open)
    provesViews(open)
    provesGlances(open)
    provesChanges(open)
    provesLocks(open)
  })

/** With the log that the index is filled from. */
export const searchIndexConformance = (name: string, open: OpenStore) =>
  describe(`search index: ${name}`, () => provesSearch(open))

/** With the log and the local state that they span. */
export const actsConformance = (name: string, open: OpenActs) =>
  describe(`acts: ${name}`, () => {
    provesStreams(open)
    provesKeeping(open)
    provesDocuments(open)
    provesAwkwardTexts(open)
    provesActs(open)
  })

/** What a store in a file has besides, which is the driver's own. */
export const fileConformance = (name: string, open: OpenFile) =>
  describe(`file: ${name}`, () => provesFile(open))
