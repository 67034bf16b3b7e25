import { nameKey } from '../../core/id.ts'
import type { SourceDocument } from './read-source.ts'

/** The newest point of a stream, as far as it decides what may come behind it. */
export interface StreamHead {
  name: string
  atMs: number
  foreign: boolean
  /** It was imported: of two sources of one instant, the second comes behind the first. */
  imported: boolean
  /** Closed to imports: the stream is archived, or has a document. */
  shut: boolean
}

export interface PlacedSource extends SourceDocument {
  foreign: boolean
}

/** The sources that go to one stream, in their order. */
export interface Lane {
  name: string
  foreign: boolean
  isNew: boolean
  sources: PlacedSource[]
}

export interface Placement {
  lanes: Lane[]
  /** Checkpoint documents whose stream is there already. */
  taken: PlacedSource[]
}

/**
 * Says which source goes where. The newest point of a stream stays its newest: what is older goes to a stream beside
 * it. What others wrote never goes into a stream of the user's own, nor the other way round.
 */
export function placeSources(sources: readonly PlacedSource[], known: readonly StreamHead[]): Placement {
  const heads = new Map(known.map((head) => [nameKey(head.name), head]))
  const lanes = new Map<string, Lane>()
  const taken: PlacedSource[] = []
  const put = (name: string, source: PlacedSource) => {
    const head = heads.get(nameKey(name))
    const { foreign, atMs } = source
    const lane = lanes.get(nameKey(name)) ?? {
      ...{ name: head?.name ?? name, foreign, isNew: head === undefined, sources: [] },
    }
    lane.sources.push(source)
    lanes.set(nameKey(name), lane)
    const shut = source.kind === 'document'
    heads.set(nameKey(name), { name: lane.name, atMs, foreign, imported: true, shut })
  }
  const documents = sources.filter(({ kind }) => kind === 'document').sort((a, b) => -byTime(a, b))
  for (const source of documents)
    if (heads.has(nameKey(source.stream))) taken.push(source)
    else put(source.stream, source)
  const others = sources.filter(({ kind }) => kind !== 'document').sort(byTime)
  for (const source of others)
    for (const name of namesFor(source, heads.get(nameKey(source.stream))))
      if (fits(heads.get(nameKey(name)), source)) {
        put(name, source)
        break
      }
  return { lanes: [...lanes.values()], taken }
}

const byTime = (a: SourceDocument, b: SourceDocument) => a.atMs - b.atMs || (a.path < b.path ? -1 : 1)

function fits(head: StreamHead | undefined, { atMs, foreign }: PlacedSource): boolean {
  if (head === undefined) return true
  if (head.shut || head.foreign !== foreign) return false
  return head.atMs < atMs || (head.atMs === atMs && head.imported)
}

/** Room for what comes behind it. */
const NAME_LENGTH = 100

/** The stream that is meant, then those beside it, without an end: some name is free. */
function* namesFor({ stream, foreign }: PlacedSource, head: StreamHead | undefined): Generator<string> {
  if (!foreign) yield stream
  const word = foreign ? 'foreign' : head?.shut || head?.foreign ? 'imported' : 'earlier'
  const beside = `${stream.slice(0, NAME_LENGTH)}-${word}`
  yield beside
  for (let number = 2; ; number += 1) yield `${beside}-${number}`
}

/** The names whose streams the placement has to know: those beside a stream begin as it does. */
export function mayConcern(sources: readonly SourceDocument[]): (name: string) => boolean {
  const starts = [...new Set(sources.map(({ stream }) => nameKey(stream.slice(0, NAME_LENGTH))))]
  return (name) => starts.some((start) => nameKey(name).startsWith(start))
}
