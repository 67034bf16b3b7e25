import { MAX_DOCUMENT_BYTES } from '../../formats/checkpoint-md/layout.ts'
import { openFolder } from '../../fs/disk.ts'
import { findFolder } from '../../fs/durable.ts'
import type { Context } from '../context/context.ts'
import { foldersOf, nameOf } from '../publish/guard.ts'
import { type SkippedFile, sourceProblemOf } from '../surroundings/read-work-file.ts'
import type { SourceCandidate } from './find-sources.ts'
import {
  placeVerdict,
  type ReadSource,
  readSource,
  type SourceDocument,
  type Verdict,
} from './read-source.ts'

export interface Readings {
  sources: SourceDocument[]
  skipped: SkippedFile[]
  /** Files that come into the store another way. */
  elsewhere: SkippedFile[]
  /** Runs whose files were met, each with one of them. */
  runs: Map<string, string>
  /** Files below a given folder that are no documents of a known kind. */
  other: number
}

/** Reads every candidate once, and keeps of each only what says where it belongs. */
export function readCandidates(context: Context, candidates: readonly SourceCandidate[]): Readings {
  const readings: Readings = { sources: [], skipped: [], elsewhere: [], runs: new Map(), other: 0 }
  candidates.forEach((candidate, at) => {
    const { path } = candidate
    const verdict = verdictOf(context, candidate)
    if (verdict.is === 'source') {
      const { text: _text, said: _said, ...source } = verdict.source
      readings.sources.push(source)
    } else if (verdict.is === 'problem') readings.skipped.push({ path, problem: verdict.problem })
    else if (verdict.is === 'snapshot' && verdict.run === null)
      readings.skipped.push({
        path,
        problem: 'a snapshot outside checkpoints/<run>: move its folder there, or use savepoint convert',
      })
    else if (verdict.is === 'snapshot') readings.runs.set(verdict.run ?? '', path)
    else if (verdict.is === 'elsewhere') readings.elsewhere.push({ path, problem: verdict.why })
    else readings.other += 1
    context.progress(at + 1, candidates.length)
  })
  return readings
}

function verdictOf(context: Context, candidate: SourceCandidate): Verdict {
  const byPlace = placeVerdict(candidate.path)
  if (byPlace) return byPlace
  try {
    const file = bytesOf(context, candidate.path)
    return file ? readSource(context, candidate, file) : { is: 'problem', problem: 'file not found' }
  } catch (error) {
    return { is: 'problem', problem: sourceProblemOf(error) }
  }
}

function bytesOf({ place }: Context, path: string): { bytes: Buffer; modifiedMs: number } | null {
  using root = openFolder(place.root)
  using folder = findFolder(root, foldersOf(path))
  const entry = folder?.entry(nameOf(path))
  const bytes = folder?.read(nameOf(path), MAX_DOCUMENT_BYTES)
  return entry && bytes ? { bytes, modifiedMs: entry.modifiedMs } : null
}

export function sourceAt(context: Context, candidate: SourceCandidate): ReadSource | null {
  const verdict = verdictOf(context, candidate)
  return verdict.is === 'source' ? verdict.source : null
}
