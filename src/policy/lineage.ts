import { nameKey } from '../core/id.ts'

/** One member of a family of forks; `created` is an ISO timestamp, a bare date, or rubbish. */
export interface LineageNode {
  id: string
  parent: string | null
  created: string
}

/** One line of the drawn tree. Depth and `last` of the rows above are all that drawing its branches needs. */
export interface LineageRow {
  id: string
  depth: number
  /** No sibling comes after it. */
  last: boolean
}

export interface Lineage {
  /** Every node once: parents before children, siblings oldest first. */
  rows: LineageRow[]
  /** Each member names the next one as its parent, and the last one the first; the oldest comes first. */
  cycles: string[][]
  missing: Array<{ id: string; parent: string }>
}

interface Member {
  node: LineageNode
  key: string
  at: number
  /** Its place among all, oldest first. */
  place: number
  parent: Member | null
  children: Member[]
  /** The walk up the parents that met it first. */
  walk: number
  depth: number
  last: boolean
}

/** Who descends from whom. No chain is too long and no parent has too many children: nothing here recurses. */
export function lineageOf(nodes: readonly LineageNode[]): Lineage {
  const members = inOrder(nodes)
  const byKey = new Map<string, Member>()
  // Of two nodes with one name the older one has the children.
  for (const member of members) if (!byKey.has(member.key)) byKey.set(member.key, member)
  const missing: Lineage['missing'] = []
  for (const member of members) {
    const { id, parent } = member.node
    if (parent === null) continue
    member.parent = byKey.get(nameKey(parent)) ?? null
    if (member.parent === null) missing.push({ id, parent })
  }
  const cycles = openCycles(members)
  const roots: Member[] = []
  for (const member of members) (member.parent?.children ?? roots).push(member)
  return { rows: inDrawingOrder(roots), cycles, missing }
}

/**
 * Finds parent cycles and cuts each above its oldest member, which becomes a root. The members come oldest first,
 * but a cycle can also be met from a younger one that hangs below it.
 */
function openCycles(members: readonly Member[]): string[][] {
  const cycles: string[][] = []
  for (const start of members) {
    let at: Member | null = start
    while (at && at.walk === -1) {
      at.walk = start.place
      at = at.parent
    }
    if (at?.walk !== start.place) continue
    const cycle: Member[] = []
    let oldest = 0
    for (let member: Member | null = at; member && member !== cycle[0]; member = member.parent) {
      cycle.push(member)
      if (member.place < (cycle[oldest] ?? member).place) oldest = cycle.length - 1
    }
    const turned = [...cycle.slice(oldest), ...cycle.slice(0, oldest)]
    cycles.push(turned.map(({ node }) => node.id))
    if (turned[0]) turned[0].parent = null
  }
  return cycles
}

function inDrawingOrder(roots: readonly Member[]): LineageRow[] {
  const rows: LineageRow[] = []
  const waiting: Member[] = []
  const wait = (siblings: readonly Member[], depth: number) => {
    for (let index = siblings.length - 1; index >= 0; index -= 1) {
      const member = siblings[index]
      if (!member) continue
      member.depth = depth
      member.last = index === siblings.length - 1
      waiting.push(member)
    }
  }
  wait(roots, 0)
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    rows.push({ id: next.node.id, depth: next.depth, last: next.last })
    wait(next.children, next.depth + 1)
  }
  return rows
}

/** Oldest first; what has no readable time comes last; ties by id. */
function inOrder(nodes: readonly LineageNode[]): Member[] {
  const members = nodes.map<Member>((node) => ({
    node,
    key: nameKey(node.id),
    at: timeOf(node.created),
    place: 0,
    parent: null,
    children: [],
    walk: -1,
    depth: 0,
    last: false,
  }))
  members.sort(
    (one, other) =>
      compare(one.at, other.at) || compare(one.key, other.key) || compare(one.node.id, other.node.id),
  )
  for (const [place, member] of members.entries()) member.place = place
  return members
}

const compare = <T extends number | string>(one: T, other: T) => (one < other ? -1 : one > other ? 1 : 0)

const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,3})\d*)?(Z|[+-]\d\d:?\d\d)?)?$/i

/** As we write it ourselves: no need to take it apart. */
const OURS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/

/** A date is its midnight, and a time without a zone is UTC: the order must not depend on where it is read. */
function timeOf(created: string): number {
  if (OURS.test(created)) {
    const at = Date.parse(created)
    return Number.isNaN(at) ? Number.POSITIVE_INFINITY : at
  }
  const [, date, time = '00:00', fraction = '0', zone = 'Z'] = TIME.exec(created.trim()) ?? []
  if (date === undefined) return Number.POSITIVE_INFINITY
  const seconds = time.length === 5 ? `${time}:00` : time
  const at = Date.parse(`${date}T${seconds}.${fraction.padEnd(3, '0')}${zone.toUpperCase()}`)
  return Number.isNaN(at) ? Number.POSITIVE_INFINITY : at
}
