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
  /** Its place among all, oldest first. */
  place: number
  parent: Member | null
  children: Member[]
  /** The walk up the parents that met it first. */
  walk: Member | null
}

/** Who descends from whom. No chain is too long and no parent has too many children: nothing here recurses. */
export function lineageOf(nodes: readonly LineageNode[]): Lineage {
  const members = inOrder(nodes)
  // Of two nodes with one name the older one has the children.
  const byKey = new Map(members.toReversed().map((member) => [member.key, member]))
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
    for (; at && at.walk === null; at = at.parent) at.walk = start
    if (at?.walk !== start) continue
    let oldest = at
    for (let member = at.parent; member && member !== at; member = member.parent)
      if (member.place < oldest.place) oldest = member
    const cycle = [oldest.node.id]
    for (let member = oldest.parent; member && member !== oldest; member = member.parent)
      cycle.push(member.node.id)
    cycles.push(cycle)
    oldest.parent = null
  }
  return cycles
}

function inDrawingOrder(roots: readonly Member[]): LineageRow[] {
  const rows: LineageRow[] = []
  const waiting: Array<{ member: Member; depth: number; last: boolean }> = []
  const wait = (siblings: readonly Member[], depth: number) => {
    for (const [at, member] of siblings.toReversed().entries())
      waiting.push({ member, depth, last: at === 0 })
  }
  wait(roots, 0)
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { member, depth, last } = next
    rows.push({ id: member.node.id, depth, last })
    wait(member.children, depth + 1)
  }
  return rows
}

/** Oldest first; what has no readable time comes last; ties by id. */
function inOrder(nodes: readonly LineageNode[]): Member[] {
  return nodes
    .map((node) => ({ node, key: nameKey(node.id), at: timeOf(node.created) }))
    .sort((a, b) => compare(a.at, b.at) || compare(a.key, b.key) || compare(a.node.id, b.node.id))
    .map(({ node, key }, place) => ({ node, key, place, parent: null, children: [], walk: null }))
}

const compare = <T extends number | string>(one: T, other: T) => (one < other ? -1 : one > other ? 1 : 0)

const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,3})\d*)?(Z|[+-]\d\d:?\d\d)?)?$/i

/** A date is its midnight, and a time without a zone is UTC: the order must not depend on where it is read. */
function timeOf(created: string): number {
  // As we write it ourselves; thousands are compared at once, and the pattern takes longer than the rest.
  if (created.length === 20 && created[10] === 'T' && created[19] === 'Z') {
    const at = Date.parse(created)
    if (!Number.isNaN(at)) return at
  }
  const [, date = '', time = '00:00', fraction = '0', zone = 'Z'] = TIME.exec(created.trim()) ?? []
  const seconds = time.length === 5 ? `${time}:00` : time
  const at = Date.parse(`${date}T${seconds}.${fraction.padEnd(3, '0')}${zone.toUpperCase()}`)
  return Number.isNaN(at) ? Number.POSITIVE_INFINITY : at
}
